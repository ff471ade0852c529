import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import StoreReadOnly
from app.settings import Settings
from inference.types import Sampling

CHANGED = Settings(
    theme="dark",
    model_id="standard",
    device="gpu",
    sampling=Sampling(temperature=0.0, seed=7),
    is_sidebar_visible=False,
    window_geometry="AdnQywAD",
    context_tokens=4096,
    kv_budget_mb=512,
    kv_bits=8,
    idle_unload_min=0,
)


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    CHANGED.save(path)
    assert Settings.load(path) == CHANGED


def test_without_a_file_everything_is_at_its_default(tmp_path: Path) -> None:
    assert Settings.load(tmp_path / "settings.json") == Settings()


def test_keys_of_another_version_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "dark", "from_the_future": [1, {"a": null}]}', encoding="utf-8")
    replace(Settings.load(path), theme="light").save(path)
    assert json.loads(path.read_text(encoding="utf-8"))["from_the_future"] == [1, {"a": None}]
    assert Settings.load(path).theme == "light"


@pytest.mark.parametrize(
    "value",
    [
        '{"theme": "pink", "model_id": "standard"}',
        '{"theme": 3, "model_id": "standard"}',
        '{"sampling": {"temperature": -1}, "model_id": "standard"}',
        '{"is_sidebar_visible": "yes", "model_id": "standard"}',
        '{"kv_bits": 16, "model_id": "standard"}',
        '{"idle_unload_min": -1, "model_id": "standard"}',
    ],
)
def test_a_value_that_is_not_allowed_counts_as_not_set(tmp_path: Path, value: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(value, encoding="utf-8")
    assert Settings.load(path) == Settings(model_id="standard")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"null"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    assert Settings.load(path) == Settings()
    assert not path.exists()
    assert (tmp_path / "settings.json.damaged").read_bytes() == content


def test_a_folder_that_cannot_be_written_is_a_known_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreReadOnly):
        Settings().save(tmp_path / "file" / "settings.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["theme", "model_id", "device", "sampling", "is_sidebar_visible", "window_geometry", "other"]
)


@settings(max_examples=50)
@given(st.dictionaries(NAMES | st.text(max_size=8), JSON))
def test_any_json_object_gives_settings_that_can_be_saved(
    tmp_path_factory: pytest.TempPathFactory, body: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "settings.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    loaded = Settings.load(path)
    loaded.save(path)
    assert Settings.load(path) == loaded
