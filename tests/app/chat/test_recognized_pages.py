"""What is recognized in pictures is kept beside the conversations, on their thread."""

from app.chat.service import ChatService
from app.store.recognized_pages import RecognizedPageStore
from tests.fakes import FakeClock


def test_pages_are_kept_while_the_service_is_open(service: ChatService, clock: FakeClock) -> None:
    pages = RecognizedPageStore(service.with_database, clock)
    pages.put("aa", 1, "engine", b"page")
    assert pages.get("aa", 1, "engine") == b"page"
    service.close()
    pages.put("aa", 2, "engine", b"page")
    assert pages.get("aa", 1, "engine") is None
