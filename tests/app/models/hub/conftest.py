"""A hub, ways to it, and a client of it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.children import Verb
from app.models.hub.client import HubClient, HubOptions
from app.models.hub.frames import Patience
from inference.child import Child
from tests import fake_hub
from tests.fake_hub import FakeHub

FILES = {
    "config.json": b'{"model_type": "tiny"}',
    "cpu/genai_config.json": b"{}",
    "cpu/model.onnx": fake_hub.noise(600_000),
    "cpu/empty.txt": b"",
}
QUICK = Patience(tries=3, backoff_s=0.01, longest_wait_s=0.05, connect_s=5.0, silence_s=0.4)
# A loaded machine is silent for longer than that.
STEADY = Patience(tries=3, backoff_s=0.01, longest_wait_s=0.05, connect_s=20.0, silence_s=20.0)

Connect = Callable[..., HubClient]


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeHub]]:
    """Serve a hub until the test ends."""
    with ExitStack() as stack:
        yield lambda files=FILES, **options: stack.enter_context(fake_hub.serve(files, **options))


@pytest.fixture
def hub(serve: Callable[..., FakeHub]) -> FakeHub:
    """A hub with `FILES` and no trouble yet."""
    return serve()


@pytest.fixture
def connect(launch: Callable[[Verb], Child]) -> Connect:
    """Make a client; the hub at `endpoint` is a mirror to it."""

    def make(
        endpoint: str, *, proxy: str = "", token: str = "", patience: Patience = STEADY
    ) -> HubClient:
        return HubClient(
            lambda: launch("download"), lambda: HubOptions(endpoint, proxy, token), patience
        )

    return make


def assert_complete(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        assert (folder / path).read_bytes() == content, path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `localhost` and its key, in one file; it is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "localhost.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.fixture
def tls_hub(serve: Callable[..., FakeHub], certificate: Path) -> FakeHub:
    """A hub that is encrypted, and that no system knows."""
    return serve(certificate=certificate)
