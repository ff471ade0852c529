"""Which links an answer may carry: the ones whose target a person can read and judge."""

_SCHEMES = ("http://", "https://", "mailto:")


def is_allowed(url: str) -> bool:
    """Tell whether `url` may become a link; anything else stays plain text.

    Other schemes start programs or open files (`file:`, `smb:`, `ms-msdt:` and the like).
    """
    url = url.strip().lower()
    return url.startswith(_SCHEMES) and not any(ord(each) < ord(" ") for each in url)
