"""Access tokens for hubs: kept in the operating system's keyring, and nowhere else."""

from app.errors import KeyringLocked, TokenNotKept

_SERVICE = "Snug hub"


class HubTokens:
    """One token for each endpoint; may wait for a person, so never on the window's thread."""

    def load(self, endpoint: str) -> str:
        """Return the token for `endpoint`; empty where none is kept or there is no keyring.

        Raises:
            KeyringLocked: The keyring cannot be reached or stays locked.
        """
        import keyring  # noqa: PLC0415 - 80 ms that belong to this thread, not to the start
        from keyring.errors import KeyringError, NoKeyringError  # noqa: PLC0415

        try:
            return keyring.get_password(_SERVICE, endpoint) or ""
        except NoKeyringError:
            return ""
        except (KeyringError, RuntimeError) as error:
            raise KeyringLocked from error

    def save(self, endpoint: str, token: str) -> None:
        """Keep `token` for `endpoint`.

        Raises:
            TokenNotKept: There is no keyring, or none that keeps what it is given.
        """
        import keyring  # noqa: PLC0415 - as above
        from keyring.errors import KeyringError  # noqa: PLC0415

        try:
            if keyring.get_keyring().priority < 1:
                raise TokenNotKept
            keyring.set_password(_SERVICE, endpoint, token)
            kept = keyring.get_password(_SERVICE, endpoint)
        except (KeyringError, RuntimeError) as error:
            raise TokenNotKept from error
        if kept != token:
            raise TokenNotKept

    def forget(self, endpoint: str) -> None:
        """Delete the token for `endpoint`; nothing happens where none is kept.

        Raises:
            KeyringLocked: The keyring cannot be reached or stays locked.
        """
        import keyring  # noqa: PLC0415 - as above
        from keyring.errors import (  # noqa: PLC0415
            KeyringError,
            NoKeyringError,
            PasswordDeleteError,
        )

        try:
            keyring.delete_password(_SERVICE, endpoint)
        except (NoKeyringError, PasswordDeleteError):
            return
        except (KeyringError, RuntimeError) as error:
            raise KeyringLocked from error
