"""Opens Office files that are locked with a password, new ones (OOXML) and those of 97-2003.

A workbook that is only protected against changes is encrypted with a password everybody knows;
that one is tried first, because its user never typed any.
"""

import io

# What the libraries import at the first such file, when the walls stand already.
import xml.dom.expatbuilder  # noqa: F401
from typing import Any

import msoffcrypto
from cryptography.hazmat.backends import openssl  # noqa: F401
from msoffcrypto.exceptions import DecryptionError, InvalidKeyError
from msoffcrypto.format import doc97, ooxml, ppt97, xls97  # noqa: F401

from app.documents.formats.format import Context, Damaged, PasswordNeeded, Source, Unsupported

_EVERYBODYS = "VelvetSweatshop"
_UNKNOWN = "protected in a way that Snug cannot open; save a copy without the password"


def decrypt(source: Source, context: Context) -> Source:
    """Return `source` as it was before it was locked; one that is not locked comes back as it is.

    Raises:
        PasswordNeeded: There is no password, or it is wrong.
        Unsupported: It is locked in another way.
        Damaged: It is no Office file, or a broken one.
        TooMuch: It is larger than the budget.
    """
    try:
        file = msoffcrypto.OfficeFile(source.stream)
        is_locked = file.is_encrypted()
    except DecryptionError as error:
        raise Unsupported(_UNKNOWN) from error
    except Exception as error:  # it parses on, and trips over anything that is missing
        raise Damaged from error
    if not is_locked:
        source.stream.seek(0)
        return source
    context.budget.take_bytes(source.size_bytes)
    for password in (_EVERYBODYS, context.password):
        plain = _opened(file, password) if password else None
        if plain is not None:
            return Source(source.name, io.BytesIO(plain), len(plain))
    raise PasswordNeeded


def _opened(file: Any, password: str) -> bytes | None:
    """Return the file, or None where the password is wrong."""
    plain = io.BytesIO()
    try:
        file.load_key(password=password, verify_password=True)
        file.decrypt(plain)
    except InvalidKeyError:
        return None
    except DecryptionError as error:
        raise Unsupported(_UNKNOWN) from error
    except Exception as error:  # it parses on, and trips over anything that is missing
        raise Damaged from error
    return plain.getvalue()
