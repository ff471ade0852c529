"""The one real file of a family with pieces; `python -m tests.benchmarks.gemma` fetches it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inference.gguf.reader import GgufFile
from inference.gguf.run import run_import
from inference.prompt import PromptBuilder
from inference.tokenizer import StreamingDecoder, Tokenizer
from inference.types import ChatMessage
from tests.benchmarks import gemma
from tests.benchmarks.importing import Watch
from tests.tiny_pieces import SPACE

pytestmark = pytest.mark.engine

_TEMPLATE = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}"
    "{% for m in messages %}{{ '<start_of_turn>' + m['role'] + '\n' + m['content'] | trim +"
    " '<end_of_turn>\n' }}{% endfor %}<start_of_turn>model\n"
)
TEXTS = st.lists(
    st.sampled_from(
        [
            *("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<unused7>", "<table>"),
            *("[multimodal]", "<start_", "of_turn>", "user", "\n", "\n\n\n", "  ", " ", "<0x0A>"),
            *("'th", "'d ", " \u00b2", " \u0663", "e\u0301", "\u4f60\u597d", "\U0001f468\u200d"),
            *("the", " water", "THE", "1234", "\x00", "\r\n", "\xa0", "\u3000"),
        ]
    )
    | st.text(max_size=4)
).map("".join)


@pytest.fixture(scope="module")
def source() -> Path:
    if not gemma.file().is_file():
        pytest.skip(f"no {gemma.FILE_NAME}; python -m tests.benchmarks.gemma fetches it")
    return gemma.file()


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="module")
def folder(source: Path, watch: Watch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("gemma") / "gemma"
    run_import(watch.launch, source, folder)
    watch.stop()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.load(folder)


def test_it_chooses_the_next_token_as_its_weights_do_in_float32(
    source: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = gemma.agreement(source, folder)

    with capsys.disabled():
        print(f"\ngemma, {found}")  # noqa: T201 - the figures are the point
    assert found.same >= 0.95
    assert found.divergence <= 0.01


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells mapped files apart")
def test_its_import_needs_little_memory_beside_mapped_files(
    source: Path, folder: Path, watch: Watch
) -> None:
    assert folder.exists()
    with GgufFile(source) as file:
        largest_bytes = max(tensor.length_bytes for tensor in file.tensors.values())

    assert 0 < watch.peak_bytes <= 1.5 * largest_bytes


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_no_text_makes_a_control_token_and_all_come_back(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode_plain(text)
    decoder = StreamingDecoder(tokenizer)
    streamed = [decoder.push(number) for number in ids]

    assert tokenizer.control_ids.isdisjoint(ids)
    assert tokenizer.decode(ids) == text.replace(SPACE, " ")
    assert "".join([*streamed, decoder.finish()]) == text.replace(SPACE, " ")


def test_known_words_have_the_ids_that_its_family_has(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("<bos><start_of_turn>user\n\nHello  world<end_of_turn>\n")

    words = [tokenizer.token_id(each) for each in ("user", "\n\n", "Hello", "  ", "world")]
    assert ids == [2, 105, *words, 106, 107]
    assert None not in ids


@settings(max_examples=50, deadline=None)
@given(system=TEXTS, question=TEXTS)
def test_prompts_with_its_familys_template_have_bos_once(
    tokenizer: Tokenizer, system: str, question: str
) -> None:
    assume(system.strip() and question.strip())
    builder = PromptBuilder(tokenizer, _TEMPLATE)

    ids = builder.build([ChatMessage("system", system), ChatMessage("user", question)])

    assert [each for each in ids if each in tokenizer.control_ids] == [2, 105, 106, 105]


def test_the_file_is_a_base_model_and_its_prompts_say_so(
    folder: Path, tokenizer: Tokenizer
) -> None:
    builder = PromptBuilder.load(folder, tokenizer)

    ids = builder.build([ChatMessage("user", "Name a color.")])

    assert not builder.is_instruct
    assert tokenizer.spell(ids) == "<bos>User:\nName a color.\n\nAssistant:\n"
