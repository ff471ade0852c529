import struct
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import gguf
import pytest

from inference.errors import ModelDamaged, ModelMissing
from inference.gguf.importer import describe
from inference.gguf.reader import GgufFile
from tests.tiny_gguf import GgufBuilder, write_tiny_gguf


def test_tensors_lie_where_the_gguf_package_finds_them(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", architecture="qwen2", tied=False)
    oracle = gguf.GGUFReader(path)

    with GgufFile(path) as file:
        found = [
            (each.name, each.type.name, each.shape[::-1], each.start, each.length_bytes)
            for each in file.tensors.values()
        ]

    assert found == [
        (
            each.name,
            each.tensor_type.name,
            tuple(int(size) for size in each.shape),
            each.data_offset,
            each.n_bytes,
        )
        for each in oracle.tensors
    ]


def test_values_are_what_the_gguf_package_reads(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    fields = gguf.GGUFReader(path).fields

    with GgufFile(path) as file:
        metadata = file.metadata
        texts = ("general.name", "tokenizer.chat_template")
        assert all(metadata.text(key) == fields[key].contents() for key in texts)
        assert metadata.integer("llama.block_count") == fields["llama.block_count"].contents()
        assert metadata.number("llama.rope.freq_base") == fields["llama.rope.freq_base"].contents()
        assert metadata.flag("tokenizer.ggml.add_bos_token") is False
        tokens, kinds = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
        assert metadata.strings(tokens) == fields[tokens].contents()
        assert metadata.integers(kinds) == fields[kinds].contents()


def test_every_kind_of_number_the_gguf_package_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "numbers.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint8("n.u8", 200)
    writer.add_int8("n.i8", -100)
    writer.add_uint16("n.u16", 60_000)
    writer.add_int16("n.i16", -30_000)
    writer.add_int32("n.i32", -(2**31))
    writer.add_uint64("n.u64", 2**63)
    writer.add_int64("n.i64", -(2**62))
    writer.add_float64("n.f64", 1e300)
    writer.add_array("n.list", [1, -2, 3])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    with GgufFile(path) as file:
        keys = ("u8", "i8", "u16", "i16", "i32", "u64", "i64")
        found = [file.metadata.integer(f"n.{key}") for key in keys]
        assert file.metadata.number("n.f64") == 1e300
        assert file.metadata.integers("n.list") == [1, -2, 3]

    assert found == [200, -100, 60_000, -30_000, -(2**31), 2**63, -(2**62)]


def test_a_description_needs_no_weights(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", types=("Q4_K",))

    summary = describe(path)

    assert (summary.name, summary.architecture, summary.licence) == (
        "Tiny llama",
        "llama",
        "apache-2.0",
    )
    assert summary.quantization == "Q4_K"
    assert summary.context_tokens == 2048
    assert summary.bytes == path.stat().st_size
    assert summary.parameters == sum(each.n_elements for each in gguf.GGUFReader(path).tensors)


def test_a_file_nobody_named_is_called_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "My model.gguf"
    path.write_bytes(GgufBuilder({"general.architecture": "llama"}).build())

    assert describe(path).name == "My model"


def test_a_missing_file_and_a_folder_are_missing_models(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.gguf", tmp_path):
        with pytest.raises(ModelMissing):
            describe(path)


def test_describing_a_file_imports_neither_numpy_nor_a_runtime() -> None:
    code = (
        "import sys, inference.gguf.summary, inference.gguf.run;"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_largest_vocabularies_are_described_in_a_third_of_a_second(tmp_path: Path) -> None:
    """Processor time, because other programs may have the processor now."""
    path = tmp_path / "large.gguf"
    path.write_bytes(
        GgufBuilder(
            {
                "general.architecture": "llama",
                "tokenizer.ggml.tokens": [f"token{number}" for number in range(262_144)],
                "tokenizer.ggml.merges": [f"to ken{number}" for number in range(520_000)],
                "tokenizer.ggml.token_type": [1] * 262_144,
                "tokenizer.ggml.scores": [0.5] * 262_144,
            }
        ).build()
    )

    began_s = time.process_time()
    describe(path)

    assert time.process_time() - began_s <= 0.3


def _pair(key: bytes, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(key)) + key + struct.pack("<I", kind) + value


def _texts(count: int, length: int) -> bytes:
    return struct.pack("<IQ", 8, count) + (struct.pack("<Q", length) + b"a" * length) * count


@pytest.mark.parametrize(
    "pairs",
    [
        [_pair(b"a", 9, _texts(2_000_001, 0))],
        [_pair(b"%d" % number, 9, _texts(300_000, 0)) for number in range(8)],
        [_pair(b"%d" % number, 8, _texts(1, 15 << 20)[12:]) for number in range(3)],
        [_pair(b"%d" % number + b"k" * 65_000, 7, b"\1") for number in range(600)],
        [_pair(b"a", 9, struct.pack("<IQ", 9, 1) + struct.pack("<IQ", 9, 1) * 1000)],
        [_pair(b"a", 9, struct.pack("<IQ", 8, 2_000_000))],
    ],
    ids=[
        "too many strings",
        "too many strings together",
        "long texts",
        "long keys",
        "arrays in arrays",
        "strings that are not there",
    ],
)
def test_hostile_heads_are_refused_fast_and_in_little_memory(
    tmp_path: Path, pairs: list[bytes]
) -> None:
    path = tmp_path / "hostile.gguf"
    path.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 0, len(pairs)) + b"".join(pairs))

    began_s = time.process_time()
    with pytest.raises(ModelDamaged):
        describe(path)
    took_s = time.process_time() - began_s
    tracemalloc.start()
    with pytest.raises(ModelDamaged):
        describe(path)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert took_s <= 1.0
    assert peak_bytes <= 64 << 20
