"""A model folder is configuration that native code obeys: it is looked at before it is copied."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.children import command
from app.models import onnx_config, onnx_folder
from app.models.add_job import AddView
from app.models.service import ModelService
from app.paths import Paths
from inference import child
from inference.errors import ModelDamaged, ModelMissing, ModelUnsupported
from tests.app.models.onnx_folders import change_config

ANSWER_S = 60


@pytest.fixture
def folder(tmp_path: Path, tiny_model: Path) -> Path:
    """A good folder without a manifest, as other programs make them."""
    copied = tmp_path / "My Model"
    shutil.copytree(tiny_model, copied, ignore=shutil.ignore_patterns("manifest.json"))
    return copied


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ModelService]:
    made = ModelService(Paths(tmp_path / "data"), lambda: child.start(command("import")))
    yield made
    made.close()


def add(service: ModelService, folder: Path) -> AddView:
    return service.add([folder]).wait(ANSWER_S)


def test_a_good_folder_is_copied_and_listed(service: ModelService, folder: Path) -> None:
    (folder / ".cache").mkdir()
    (folder / ".cache" / "hidden").write_text("left where it is")
    view = add(service, folder)
    assert view.error is None
    (model,) = service.installed()
    assert (model.id, model.title, model.architecture) == ("my-model", "My Model", "llama")
    assert len(model.sha256) == 64
    assert model.context_tokens > 0
    service.verify("my-model").result(ANSWER_S)
    assert (folder / "model.onnx.data").exists()
    assert not (model.folder / ".cache").exists()


def test_the_same_name_twice_gets_a_number(service: ModelService, folder: Path) -> None:
    assert [add(service, folder).model_id for _ in range(2)] == ["my-model", "my-model-2"]


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("filename", "../../elsewhere/model.onnx", "a file outside its folder"),
        ("filename", "/etc/passwd", "a file outside its folder"),
        ("filename", "C:\\model.onnx", "a file outside its folder"),
        ("session_options", {"custom_ops_library": "anything"}, "a library of its own"),
        (
            "session_options",
            {"provider_options": [{"QNN": {"backend_path": "evil.dll"}}]},
            "a library of its own",
        ),
        ("session_options", {"x": ["libevil.so.1.2"]}, "a library of its own"),
    ],
)
def test_a_configuration_that_leads_out_is_refused_by_name(
    name: str, value: object, what: str, service: ModelService, folder: Path
) -> None:
    change_config(folder, **{name: value})
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert str(view.error.facts["what"]).startswith(what)
    assert service.installed() == ()


@pytest.mark.parametrize("name", ["ops.so", "ops.so.1", "ops.DLL", "weights.pkl", "model.py"])
def test_code_in_the_folder_is_refused_by_name(
    name: str, service: ModelService, folder: Path
) -> None:
    (folder / name).write_bytes(b"code")
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert name in str(view.error.facts["what"])


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_copied(
    service: ModelService, folder: Path, tmp_path: Path
) -> None:
    inside = folder / "also-data.bin"
    inside.symlink_to(folder / "model.onnx.data")
    assert add(service, folder).stage == "done"
    assert not (service.installed()[0].folder / "also-data.bin").is_symlink()
    secret = tmp_path / "secret.txt"
    secret.write_text("not yours")
    (folder / "notes.txt").symlink_to(secret)
    view = add(service, folder)
    assert isinstance(view.error, ModelUnsupported)
    assert "notes.txt" in str(view.error.facts["what"])


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("tokenizer.json", ModelMissing),
        ("model.onnx", ModelMissing),
    ],
)
def test_a_missing_file_is_said_so(
    name: str, error: type[Exception], service: ModelService, folder: Path
) -> None:
    (folder / name).unlink()
    assert isinstance(add(service, folder).error, error)


@pytest.mark.parametrize("config", ["", "{", "[]", '{"model": 1}', "[" * 200_000])
def test_a_configuration_that_cannot_be_read_is_damaged(
    config: str, service: ModelService, folder: Path
) -> None:
    (folder / onnx_folder.CONFIG_NAME).write_text(config)
    view = add(service, folder)
    assert isinstance(view.error, ModelDamaged)
    assert view.error.facts["file"] == onnx_folder.CONFIG_NAME


def test_a_configuration_of_many_megabytes_is_not_read(folder: Path) -> None:
    os.truncate(folder / onnx_folder.CONFIG_NAME, 1 << 30)
    with pytest.raises(ModelDamaged):
        onnx_folder.check(folder)


def test_a_folder_of_everything_is_no_model(folder: Path) -> None:
    for number in range(300):
        (folder / f"{number}.txt").touch()
    with pytest.raises(ModelUnsupported):
        onnx_folder.check(folder)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"enable_profiling": "report"}, "enable_profiling"),
        ({"session.load_model_format": "ORT"}, "session.load_model_format"),
        (
            {"session.model_external_initializers_file_folder_path": "x"},
            "session.model_external_initializers_file_folder_path",
        ),
        ({"ep.context_file_path": "context.onnx"}, "ep.context_file_path"),
        ({"ep.context_enable": "1"}, "ep.context_enable"),
        ({"log_id": "/elsewhere/x"}, "log_id"),
        ({"provider_options": [{"QNN": {"backend_path": "QnnHtp"}}]}, "backend_path"),
        ({"provider_options": [{"OpenVINO": {"cache_dir": "x"}}]}, "cache_dir"),
        ({"provider_options": [{"OpenVINO": {"load_config": "../x"}}]}, "load_config"),
        ({"provider_options": [{"VitisAI": {"config_file": "vaip"}}]}, "config_file"),
    ],
)
def test_an_option_that_names_a_file_is_refused_by_name(
    options: dict[str, Any], what: str, folder: Path
) -> None:
    change_config(folder, session_options=options)
    with pytest.raises(ModelUnsupported) as caught:
        onnx_folder.check(folder)
    assert caught.value.facts["what"] == f"a setting that names a file: {what}"


def test_options_of_published_models_pass(folder: Path) -> None:
    change_config(
        folder,
        sliding_window={"window_size": 128, "slide_key_value_cache": True},
        session_options={
            "log_id": "onnxruntime-genai",
            "intra_op_num_threads": 4,
            "graph_optimization_level": "ORT_ENABLE_ALL",
            "session.disable_cpu_ep_fallback": "1",
            "provider_options": [
                {"cuda": {"enable_cuda_graph": "0"}},
                {"dml": {}},
                {"NvTensorRtRtx": {"ep.nv.profile_min_shapes": "1"}},
                {"webgpu": {"enableGraphCapture": "1", "storageBufferCacheMode": "disabled"}},
            ],
        },
    )
    assert onnx_folder.check(folder).architecture == "llama"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('{"model": {"type": "a"}, "model": {"type": "b"}}', ModelDamaged),
        ('{"model": {"type": "a"}, "x": {"custom_ops_library": 7}}', ModelUnsupported),
        ('{"model": {"type": "a"}, "x": [["x.so"]]}', ModelUnsupported),
        ('{"model": {"type": "a", "decoder": {"filename": 7}}}', ModelDamaged),
        ('{"model": {"type": "a", "decoder": {"filename": "tokenizer.json"}}}', ModelUnsupported),
        ('{"model": {"type": "a", "vision": {"config_filename": "gone.json"}}}', ModelMissing),
        ('{"model": {"type": "a", "vision": {"adapter_file": "~/x"}}}', ModelUnsupported),
        ('{"model": {"type": "a"}}'.encode("utf-16"), ModelDamaged),
    ],
)
def test_a_configuration_that_the_runtime_could_read_in_another_way_is_refused(
    body: str | bytes, error: type[Exception], folder: Path
) -> None:
    path = folder / onnx_folder.CONFIG_NAME
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    with pytest.raises(error):
        onnx_folder.check(folder)


def test_what_snug_finds_out_itself_is_not_taken_from_others(
    service: ModelService, folder: Path
) -> None:
    for name in ("manifest.json", "verified.json", "int8kv.json", "model.int8kv.scales"):
        (folder / name).write_text("planted")
    assert add(service, folder).error is None
    (model,) = service.installed()
    assert {path.name for path in model.folder.iterdir()} & {
        "verified.json",
        "int8kv.json",
        "model.int8kv.scales",
    } == set()
    service.verify(model.id).result(ANSWER_S)


_LIES = st.one_of(
    st.sampled_from(
        ["../x", "/etc/passwd", "x.so", "a.onnx", "model.onnx", "tokenizer.json", "", "\0", "~"]
    ),
    st.text(max_size=8),
    st.integers(),
    st.none(),
)
_KEYS = st.sampled_from(
    [
        *("filename", "config_filename", "session_options", "provider_options", "run_options"),
        *("custom_ops_library", "backend_path", "log_id", "pipeline", "type", "library"),
    ]
)
_TREES = st.recursive(
    _LIES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tree=_TREES)
def test_no_configuration_gets_through_with_a_place_outside(tmp_path: Path, tree: Any) -> None:
    names = frozenset(("model.onnx", "a.onnx", "tokenizer.json"))
    body = json.dumps({"model": {"type": "llama", "decoder": tree}})
    (tmp_path / onnx_folder.CONFIG_NAME).write_text(body)
    try:
        onnx_config.read(tmp_path, names)
    except (ModelDamaged, ModelMissing, ModelUnsupported):
        return
    for keys, text in _texts(tree, ("decoder",)):
        assert "custom_ops_library" not in keys
        assert not text.endswith(".so")
        if keys[-1].endswith("filename"):
            assert text in names | {""}
        if {"session_options", "provider_options", "run_options"} & set(keys):
            assert not set("/\\~\0") & set(text)
            assert keys[-1] not in ("backend_path", "library")


def _texts(tree: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from _texts(value, (*keys, name))
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value, keys)
    elif isinstance(tree, str):
        yield keys, tree
