from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.service import ChatService
from app.store.database import Database
from tests.fakes import STORE_KEY, FakeClock, FakeDocuments, FakeGenerator


@pytest.fixture
def generator() -> Iterator[FakeGenerator]:
    with FakeGenerator() as generator:
        yield generator


@pytest.fixture
def documents() -> FakeDocuments:
    return FakeDocuments()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "snug.db"


@pytest.fixture
def service(
    store_path: Path, generator: FakeGenerator, documents: FakeDocuments, clock: FakeClock
) -> Iterator[ChatService]:
    service = ChatService(
        lambda: Database.open(store_path, STORE_KEY),
        generator,
        documents,
        clock,
        commit_interval_s=0.01,
    )
    yield service
    generator.release()
    documents.release()
    service.close()
