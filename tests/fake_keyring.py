"""A keyring for tests of the key; not in `fakes`, because keyring takes long to import."""

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class MemoryKeyring(KeyringBackend):
    """A keyring that keeps what it is given until the test ends, and can be locked."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise KeyringLocked
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]
