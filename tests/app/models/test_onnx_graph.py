"""An ONNX file from anywhere: what it names is found, and what it claims costs nothing."""

import tracemalloc
from pathlib import Path

import onnx
import pytest
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from app.models import onnx_graph
from inference.errors import InferenceError, ModelDamaged, ModelMissing, ModelUnsupported
from inference.gguf import protobuf

FLOAT, EXTERNAL = 1, 1


def node(operator: str = "Add", domain: str = "", *attributes: bytes) -> bytes:
    return protobuf.message(
        1,
        protobuf.text(1, "a"),
        protobuf.text(4, operator),
        protobuf.text(7, domain),
        *(protobuf.message(5, attribute) for attribute in attributes),
    )


def tensor_body(*entries: tuple[str, str], dims: tuple[int, ...] = (2, 3)) -> bytes:
    return b"".join(
        (
            *(protobuf.integer(1, dimension) for dimension in dims),
            protobuf.integer(2, FLOAT),
            protobuf.text(8, "w"),
            *(
                protobuf.message(13, protobuf.text(1, key), protobuf.text(2, value))
                for key, value in entries
            ),
            protobuf.integer(14, EXTERNAL),
        )
    )


def graph(*parts: bytes) -> bytes:
    return protobuf.message(7, *parts)


def put(folder: Path, *parts: bytes) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(protobuf.integer(1, 10) + b"".join(parts))
    return path


def refused(folder: Path, *parts: bytes) -> str:
    with pytest.raises(InferenceError) as caught:
        onnx_graph.read(put(folder, *parts))
    return str(caught.value.facts.get("reason") or caught.value.facts["what"])


def weights(location: str, offset: str = "0", length: str = "24") -> bytes:
    return tensor_body(("location", location), ("offset", offset), ("length", length))


def test_a_real_graph_names_what_the_onnx_package_says(tiny_model: Path) -> None:
    expected: dict[str, int] = {}
    path = tiny_model / "model.onnx"
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        said = {entry.key: entry.value for entry in tensor.external_data}
        if said:
            end = int(said["offset"]) + int(said["length"])
            expected[said["location"]] = max(end, expected.get(said["location"], 0))

    facts = onnx_graph.read(path)

    assert facts.external_bytes == expected != {}
    assert facts.nodes == len(model.graph.node)


@pytest.mark.parametrize(
    "parts",
    [
        (protobuf.message(5, weights("out")),),
        (protobuf.message(15, protobuf.message(1, weights("out"))),),
        (protobuf.message(15, protobuf.message(2, weights("out"))),),
        (node("Constant", "", protobuf.message(5, weights("out"))),),
        (node("Constant", "", protobuf.message(10, weights("out"))),),
        (node("Constant", "", protobuf.message(22, protobuf.message(1, weights("out")))),),
        (node("Constant", "", protobuf.message(23, protobuf.message(1, weights("out")))),),
        (node("If", "", protobuf.message(6, protobuf.message(5, weights("out")))),),
        (node("Scan", "", protobuf.message(11, protobuf.message(5, weights("out")))),),
    ],
)
def test_weights_are_found_wherever_they_can_be_named(
    parts: tuple[bytes, ...], tmp_path: Path
) -> None:
    assert onnx_graph.read(put(tmp_path, graph(*parts))).external_bytes == {"out": 24}


def test_weights_of_a_function_are_found_and_its_domain_is_its_own(tmp_path: Path) -> None:
    inside = node("Constant", "", protobuf.message(5, weights("out"))).replace(b"\x0a", b"\x3a", 1)
    function = protobuf.message(25, protobuf.text(1, "f"), protobuf.text(10, "mine"), inside)
    path = put(tmp_path, graph(node("f", "mine")), function)

    facts = onnx_graph.read(path)

    assert facts.external_bytes == {"out": 24}
    assert facts.nodes == 2


def test_a_graph_in_two_pieces_is_one(tmp_path: Path) -> None:
    pieces = (
        graph(protobuf.message(5, weights("one"))),
        graph(protobuf.message(5, weights("two"))),
    )

    assert set(onnx_graph.read(put(tmp_path, *pieces)).external_bytes) == {"one", "two"}


def test_what_weights_need_comes_from_their_shape_where_no_length_is_said(tmp_path: Path) -> None:
    body = tensor_body(("location", "out"), ("offset", "4096"), dims=(8, 16))
    path = put(tmp_path, graph(protobuf.message(5, body)))

    assert onnx_graph.read(path).external_bytes == {"out": 4096 + 8 * 16 * 4}


@pytest.mark.parametrize("domain", ["ai.onnx.contrib", "com.evil", "com.microsoft.extensions"])
def test_operators_that_need_a_library_are_refused_by_name(domain: str, tmp_path: Path) -> None:
    deep = protobuf.message(6, node("Steal", domain))
    for part in (node("Steal", domain), node("If", "", deep)):
        assert refused(tmp_path, graph(part)) == f"operator Steal of {domain}"


def test_a_graph_that_was_compiled_for_one_device_is_refused(tmp_path: Path) -> None:
    assert "compiled" in refused(tmp_path, graph(node("EPContext", "com.microsoft")))


@pytest.mark.parametrize(
    "entries",
    [
        (("location", "a"), ("location", "b")),
        (("location", "a"), ("offset", "-1")),
        (("location", "a"), ("offset", "1e3")),
        (("location", "a"), ("offset", "9" * 30)),
        (("location", "a"), ("length", "0x10")),
        (("location", "a"), ("surprise", "1")),
        (("location", "a"), ("", "")),
        (("location", "a"),) * 9,
    ],
)
def test_a_place_that_two_readers_could_read_in_two_ways_is_refused(
    entries: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    with pytest.raises(ModelDamaged):
        onnx_graph.read(put(tmp_path, graph(protobuf.message(5, tensor_body(*entries)))))


@pytest.mark.parametrize("dims", [(1 << 62, 4), (-1,), (1,) * 65])
def test_an_impossible_shape_is_refused(dims: tuple[int, ...], tmp_path: Path) -> None:
    body = tensor_body(("location", "out"), dims=dims)
    with pytest.raises(ModelDamaged):
        onnx_graph.read(put(tmp_path, graph(protobuf.message(5, body))))


def nested(levels: int) -> bytes:
    inner = node()
    for _ in range(levels):
        inner = node("If", "", protobuf.message(6, inner))
    return graph(inner)


def test_nesting_ends(tmp_path: Path) -> None:
    assert onnx_graph.read(put(tmp_path, nested(5))).nodes == 6
    assert refused(tmp_path, nested(50)) == "it is nested too deeply"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"\xff" * 20,
        b"\x3a",
        b"\x3a\xff\xff\xff\xff\x0f",
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x3b\x3c",
        b"\x08",
        b"PK\x03\x04 a zip file",
        b"{}",
        b"ORTM" * 9,
    ],
)
def test_what_is_no_graph_is_damaged(body: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(body)
    with pytest.raises(ModelDamaged):
        onnx_graph.read(path)


def test_a_file_that_is_gone_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        onnx_graph.read(tmp_path / "model.onnx")


@pytest.mark.parametrize(
    "part",
    [
        protobuf.message(1) * 110_000,
        protobuf.message(5) * 210_000,
        b"".join(node("a", f"{number}{'x' * 3000}") for number in range(10_000)),
    ],
    ids=["operators", "tensors", "domains"],
)
def test_too_many_of_anything_are_refused_with_little_memory(part: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, graph(part))
    tracemalloc.start()
    try:
        with pytest.raises(ModelDamaged):
            onnx_graph.read(path)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak_bytes < 64 << 20


def test_a_million_fields_that_say_nothing_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, graph(protobuf.integer(2, 7) * 1_100_000)) == "it has too many fields"


def test_gigabytes_of_weights_in_the_file_are_passed_over(tmp_path: Path) -> None:
    length = (1 << 31) - 4096
    raw = protobuf.varint(9 << 3 | 2) + protobuf.varint(length)
    tensor = protobuf.varint(5 << 3 | 2) + protobuf.varint(len(raw) + length) + raw
    head = protobuf.varint(7 << 3 | 2) + protobuf.varint(len(tensor) + length) + tensor
    path = put(tmp_path, head)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + length)

    assert onnx_graph.read(path).external_bytes == {}

    with path.open("r+b") as file:
        file.truncate(1 << 31)
    with pytest.raises(ModelDamaged, match="too large"):
        onnx_graph.read(path)


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_any_change_of_a_good_file_ends_in_facts_or_in_a_typed_error(
    tiny_model: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    good = (tiny_model / "model.onnx").read_bytes()
    at = data.draw(st.integers(0, len(good) - 1))
    change = data.draw(st.binary(max_size=12))
    kept = data.draw(st.integers(0, 12))
    path = tmp_path_factory.mktemp("fuzz") / "model.onnx"
    path.write_bytes(good[:at] + change + good[at + kept :])
    try:
        facts = onnx_graph.read(path)
    except (ModelDamaged, ModelUnsupported):
        return
    assert len(facts.external_bytes) <= 256


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=400))
def test_any_bytes_end_in_facts_or_in_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "model.onnx"
    path.write_bytes(body)
    try:
        facts = onnx_graph.read(path)
    except (ModelDamaged, ModelUnsupported):
        return
    assert facts.nodes <= len(body)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_file_that_the_real_parser_reads_hides_nothing_from_this_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Names that onnx finds must be found here, or the file be refused."""
    name = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=8)
    pieces = data.draw(
        st.lists(
            st.one_of(
                st.builds(lambda n: protobuf.message(5, weights(n)), name),
                st.builds(lambda n: node("Constant", "", protobuf.message(5, weights(n))), name),
                st.binary(min_size=1, max_size=6),
            ),
            max_size=6,
        )
    )
    body = protobuf.integer(1, 10) + graph(*pieces)
    path = tmp_path_factory.mktemp("fuzz") / "model.onnx"
    path.write_bytes(body)
    try:
        found = set(onnx_graph.read(path).external_bytes)
    except (ModelDamaged, ModelUnsupported):
        return
    try:
        model = onnx.load_model_from_string(body)
    except DecodeError:
        return
    assert _named(model.graph) <= found


def _named(graph: onnx.GraphProto) -> set[str]:
    tensors = list(graph.initializer)
    tensors += [attribute.t for each in graph.node for attribute in each.attribute]
    return {
        entry.value
        for tensor in tensors
        for entry in tensor.external_data
        if entry.key == "location"
    }
