"""Access tokens are in the system's keyring, one for each endpoint, or nowhere."""

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked as Locked
from keyring.errors import PasswordDeleteError

from app.errors import KeyringLocked, TokenNotKept
from app.models.hub.token import HubTokens

ENDPOINT = "https://hub.example"


class MemoryKeyring(KeyringBackend):
    """Keeps entries as long as a test lasts."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise Locked
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def test_a_token_belongs_to_one_endpoint(memory: MemoryKeyring) -> None:
    tokens = HubTokens()
    tokens.save(ENDPOINT, "secret")
    assert tokens.load(ENDPOINT) == "secret"
    assert tokens.load("https://other.example") == ""
    tokens.forget(ENDPOINT)
    tokens.forget(ENDPOINT)
    assert tokens.load(ENDPOINT) == ""
    assert memory.kept == {}


def test_a_locked_keyring_says_so(memory: MemoryKeyring) -> None:
    memory.is_locked = True
    with pytest.raises(KeyringLocked):
        HubTokens().load(ENDPOINT)


def test_without_a_keyring_no_token_is_kept() -> None:
    with pytest.raises(TokenNotKept):
        HubTokens().save(ENDPOINT, "secret")
    assert HubTokens().load(ENDPOINT) == ""
    HubTokens().forget(ENDPOINT)
