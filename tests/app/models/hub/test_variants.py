"""What of a repository can be run, and which of it is taken on which machine."""

from app.models.hub.values import RemoteFile, RemoteModel
from app.models.hub.variants import choose, variants


def model(*paths: str, bytes_: int = 1000) -> RemoteModel:
    files = tuple(RemoteFile(path, bytes_ + n, "0" * 64, True) for n, path in enumerate(paths))
    return RemoteModel("acme/tiny", "a" * 40, "mit", False, files)


def folder(name: str, *others: str) -> tuple[str, ...]:
    names = ("genai_config.json", "model.onnx", "model.onnx.data", "tokenizer.json", *others)
    return tuple(f"{name}/{one}" if name else one for one in names)


PHI = model(
    "README.md",
    "LICENSE",
    *folder("cpu_and_mobile/cpu-int4-rtn-block-32", "configuration_phi3.py"),
    *folder("cpu_and_mobile/cpu-int4-rtn-block-32-acc-level-4"),
    *folder("cuda/cuda-int4-rtn-block-32"),
    *folder("cuda/cuda-fp16"),
    *folder("npu/qnn-int4"),
)


def test_each_folder_with_a_configuration_is_one_and_brings_its_own_files_alone() -> None:
    found = {variant.name: variant for variant in variants(PHI)}
    assert {name: (one.device, one.quantization) for name, one in found.items()} == {
        "cpu_and_mobile/cpu-int4-rtn-block-32": ("cpu", "int4"),
        "cpu_and_mobile/cpu-int4-rtn-block-32-acc-level-4": ("cpu", "int4"),
        "cuda/cuda-int4-rtn-block-32": ("gpu", "int4"),
        "cuda/cuda-fp16": ("gpu", "fp16"),
        "npu/qnn-int4": ("npu", "int4"),
    }
    paths = [file.path for file in found["cpu_and_mobile/cpu-int4-rtn-block-32"].files]
    # Nothing of the folder whose name goes on, and no code.
    assert paths == list(folder("cpu_and_mobile/cpu-int4-rtn-block-32"))


def test_the_first_device_that_one_is_made_for_decides() -> None:
    def chosen(*devices: str) -> str:
        one = choose(variants(PHI), devices=devices)
        return one.name if one else ""

    assert chosen("cpu") == "cpu_and_mobile/cpu-int4-rtn-block-32-acc-level-4"
    assert chosen("gpu", "cpu") == "cuda/cuda-int4-rtn-block-32"
    assert chosen("npu", "gpu", "cpu") == "npu/qnn-int4"
    assert chosen() == ""
    only_gpu = model(*folder("cuda/cuda-fp16"))
    assert choose(variants(only_gpu), devices=("cpu",)) is None
    assert choose(variants(only_gpu), devices=("npu", "gpu", "cpu")) is not None


def test_the_root_of_a_repository_is_one_too_and_runs_on_the_processor() -> None:
    (root,) = variants(model(*folder(""), "README.md", "images/picture.png", "train/x.onnx"))
    assert (root.name, root.device) == ("", "")
    assert {file.path for file in root.files} == {*folder(""), "README.md"}
    assert choose((root,), devices=("gpu", "cpu")) is root


def test_gguf_files_are_each_one_but_for_pieces_and_parts_for_pictures() -> None:
    found = variants(
        model(
            "tiny-Q4_K_M.gguf",
            "tiny-Q8_0.gguf",
            "tiny-bf16.gguf",
            "big-Q4_0-00001-of-00002.gguf",
            "mmproj-tiny-f16.gguf",
            "config.json",
        )
    )
    assert [(one.name, one.quantization) for one in found] == [
        ("tiny-Q4_K_M.gguf", "Q4_K_M"),
        ("tiny-Q8_0.gguf", "Q8_0"),
        ("tiny-bf16.gguf", "bf16"),
    ]
    chosen = choose(found, devices=("cpu",))
    assert chosen is not None
    assert chosen.name == "tiny-Q4_K_M.gguf"


def test_one_folder_of_a_repository_of_several_models() -> None:
    both = model(
        *folder("model-1.5B/cpu_and_mobile/cpu-int4"), *folder("model-15B/cpu_and_mobile/cpu-int4")
    )
    (one,) = variants(both, "model-1.5B")
    assert one.name == "model-1.5B/cpu_and_mobile/cpu-int4"
    assert variants(both, "model-1") == ()


def test_a_repository_without_either_holds_nothing_for_snug() -> None:
    assert variants(model("onnx/model_q4.onnx", "config.json", "model.safetensors")) == ()
