"""HTTP clients for the hosts of one request: proxy, certificates, time limits, and the token.

Certificates are judged by the operating system's own store, which is where companies put those of
their inspecting proxies. Nothing is taken from the environment but the proxy, and that only where a
person gave none.
"""

import ssl
import urllib.request
from collections.abc import Callable, Iterator
from urllib.parse import quote

import httpx2
import truststore

import app
from app.errors import (
    AppError,
    CertificateRefused,
    GatedModel,
    HostRefused,
    HubAnswerWrong,
    ProxyRefused,
    RepositoryUnknown,
    RevisionUnknown,
    TokenRefused,
)
from app.models.hub.frames import Way
from app.models.hub.policy import Origin, Policy
from app.privacy import network

BUSY = frozenset((408, 425, 429, 500, 502, 503, 504))

_PORTS = {"http": 80, "https": 443}
_USER_AGENT = f"snug/{app.__version__}"


class Transport:
    """Opens clients and judges each hop.

    Args:
        permit: Opens the door of this process to a host, and logs it.
    """

    def __init__(self, way: Way, permit: Callable[[str], None]) -> None:
        """Take the way.

        Raises:
            HubAnswerWrong: The endpoint is no address of the web.
        """
        self._way = way
        self._permit = permit
        self._clients: dict[str, httpx2.AsyncClient] = {}
        self._certificates = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        home = _origin(way.endpoint)
        self.policy = Policy(home, is_mirror=way.is_mirror, permit=permit)

    @property
    def host(self) -> str:
        """The endpoint's."""
        return self.policy.home.host

    def file_url(self, repository: str, commit: str, path: str) -> httpx2.URL:
        """Return where the hub has a file, or tells who has it."""
        return httpx2.URL(
            f"{self._way.endpoint}/{quote(repository)}/resolve/{commit}/{quote(path)}"
        )

    def blocking_client(self) -> httpx2.Client:
        """Return a client that reaches the endpoint's host only, redirects included."""
        home = httpx2.URL(self._way.endpoint)

        def judge(request: httpx2.Request) -> None:
            origin = origin_of(request.url)
            self.policy.check(origin)
            if not self.policy.may_see_token(origin):
                request.headers.pop("Authorization", None)

        return httpx2.Client(
            proxy=self._proxy(home) or None,
            verify=self._certificates,
            timeout=self._timeout(),
            trust_env=False,
            follow_redirects=True,
            event_hooks={"request": [judge]},
        )

    async def send(
        self, url: httpx2.URL, first_byte: int, *, may_leave: bool
    ) -> httpx2.Response | httpx2.URL:
        """Ask for a file from `first_byte` on; the answer must be closed.

        Args:
            url: Where; its host is judged first.
            first_byte: Zero asks for all of it.
            may_leave: Whether another host may be asked, because the endpoint said so.

        Returns:
            The answer, its body not yet read, or where it leads.

        Raises:
            HostRefused: Nobody allowed that host.
            HubAnswerWrong: It leads to no address.
            httpx2.HTTPError: It did not answer.
        """
        origin = origin_of(url)
        if may_leave:
            self.policy.learn(origin)
        else:
            self.policy.check(origin)
        headers = {"Accept-Encoding": "identity", "User-Agent": _USER_AGENT}
        if first_byte:
            headers["Range"] = f"bytes={first_byte}-"
        if self._way.token and self.policy.may_see_token(origin):
            headers["Authorization"] = f"Bearer {self._way.token}"
        client = self._client(url)
        response = await client.send(
            client.build_request("GET", url, headers=headers), stream=True, follow_redirects=False
        )
        if response.is_redirect:
            await response.aclose()
            try:
                return url.join(response.headers.get("Location", ""))
            except httpx2.InvalidURL as error:
                raise HubAnswerWrong(host=self.host) from error
        return response

    async def close(self) -> None:
        """Close all clients."""
        for client in self._clients.values():
            await client.aclose()

    def _client(self, url: httpx2.URL) -> httpx2.AsyncClient:
        proxy = self._proxy(url)
        if proxy not in self._clients:
            self._clients[proxy] = httpx2.AsyncClient(
                proxy=proxy or None,
                verify=self._certificates,
                timeout=self._timeout(),
                trust_env=False,
            )
        return self._clients[proxy]

    def _timeout(self) -> httpx2.Timeout:
        patience = self._way.patience
        return httpx2.Timeout(patience.silence_s, connect=patience.connect_s)

    def _proxy(self, url: httpx2.URL) -> str:
        """Return the proxy's address for `url`, its host permitted; empty where there is none."""
        proxy = self._way.proxy or _system_proxy(origin_of(url))
        if not proxy:
            return ""
        address = httpx2.URL(proxy if "://" in proxy else f"http://{proxy}")
        if address.scheme not in _PORTS or not address.host:
            raise ProxyRefused(proxy=address.host)
        self._permit(origin_of(address).host)
        return str(address)


def origin_of(url: httpx2.URL) -> Origin:
    """Return the origin of an address."""
    host = url.raw_host.decode("ascii").strip("[]").lower().rstrip(".")
    return Origin(url.scheme, host, url.port or _PORTS.get(url.scheme, 0))


def reason_of(error: BaseException, host: str) -> AppError | None:
    """Return what is behind a failed request, where trying again cannot help."""
    if isinstance(error, httpx2.ProxyError):
        return ProxyRefused(proxy=_proxy_of(error) or host)
    for cause in _chain(error):
        if isinstance(cause, network.ConnectionRefused):
            return HostRefused(host=str(cause.facts.get("what", "")), hub=host)
        if isinstance(cause, AppError):
            return cause
        if isinstance(cause, ssl.SSLCertVerificationError):
            return CertificateRefused(host=host)
    return None


def refusal(response: httpx2.Response, way: Way, repository: str, revision: str) -> AppError:
    """Return what an answer of the endpoint means that is no file and not `BUSY`.

    The codes are those of https://huggingface.co/docs/huggingface_hub/package_reference/utilities.
    """
    host = origin_of(httpx2.URL(way.endpoint)).host
    code = response.headers.get("X-Error-Code", "")
    status = response.status_code
    if code == "GatedRepo":
        return GatedModel(repository=repository, host=host)
    if code == "RevisionNotFound":
        return RevisionUnknown(repository=repository, revision=revision)
    if status == httpx2.codes.PROXY_AUTHENTICATION_REQUIRED:
        return ProxyRefused(proxy=httpx2.URL(way.proxy).host if way.proxy else host)
    if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
        # Whether a repository is private is not told to strangers.
        unknown = RepositoryUnknown(repository=repository, host=host)
        return TokenRefused(host=host) if way.token else unknown
    if status == httpx2.codes.NOT_FOUND and code != "EntryNotFound":
        return RepositoryUnknown(repository=repository, host=host)
    return HubAnswerWrong(host=host)


def retry_after_s(response: httpx2.Response) -> float | None:
    """Return the seconds that an answer asks to wait, where it says so in seconds."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else None


def _origin(endpoint: str) -> Origin:
    try:
        origin = origin_of(httpx2.URL(endpoint))
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise HubAnswerWrong(host=endpoint) from error
    if origin.scheme not in _PORTS or not origin.host:
        raise HubAnswerWrong(host=endpoint)
    return origin


def _system_proxy(origin: Origin) -> str:
    """Return what the system or the environment says; this machine is always asked directly."""
    if network.is_local(origin.host) or urllib.request.proxy_bypass(origin.host):
        return ""
    known = urllib.request.getproxies()
    return known.get(origin.scheme) or known.get("all") or ""


def _proxy_of(error: httpx2.ProxyError) -> str:
    with_request = getattr(error, "_request", None)
    return with_request.url.host if with_request is not None else ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Walk to the causes; a group's first member stands for it."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = (
            at.exceptions[0]
            if isinstance(at, BaseExceptionGroup)
            else at.__cause__ or at.__context__
        )
