"""Chat messages to token ids, so that no text of a message can become a control token.

A model's chat template joins control tokens and texts into one string, and encoding that string
would take `<|im_end|>` inside a message for the end of it. So the template is rendered with a mark
in the place of every text; what lies between the marks is the template's own and is encoded as it
is, and each text is encoded apart as plain text. Templates come with foreign models: they run in
Jinja's sandbox.

Many templates refuse conversations that their authors did not think of. Nothing is lost then: a
system message moves in front of the first question, and what one side said in a row becomes one
message. A base model has no template at all; it gets a plain dialogue to go on with.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from inference.errors import EmptyPrompt, ModelDamaged, ModelUnsupported
from inference.tokenizer import Tokenizer
from inference.types import ChatMessage, Role

FILE_NAME = "chat_template.jinja"

_CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
_CHATML_TOKENS = ("<|im_start|>", "<|im_end|>")
_DIALOGUE = (
    "{% for message in messages %}"
    "{{ message['role'] | capitalize + ':\n' + message['content'] + '\n\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:\n' }}{% endif %}"
)
_DIALOGUE_STOPS = ("\n\nUser:", "\n\nSystem:")
# A space that no template writes: whether it is still there says if the template trims.
_SPACE = "\N{EM SPACE}"
_MARK = re.compile(f"({_SPACE}?)\ue000(\\d+)\ue001({_SPACE}?)")
_TOKEN_NAMES = ("bos_token", "eos_token", "pad_token", "unk_token")
_RENDERING_ERRORS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class _Generation(Extension):
    """`{% generation %}`, by which some templates mark for training what a model writes."""

    tags = frozenset({"generation"})  # type: ignore[assignment]

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class PromptBuilder:
    """Builds prompts for one model; safe to use from any thread.

    Attributes:
        is_instruct: The model comes with a chat template, or at least its tokens; a base model was
            never taught to answer and only goes on with a text.
        stops: Where an answer ends beside the model's own end tokens.
    """

    def __init__(self, tokenizer: Tokenizer, template: str | None) -> None:
        self._tokenizer = tokenizer
        knows_chatml = all(tokenizer.token_id(token) is not None for token in _CHATML_TOKENS)
        self.is_instruct = template is not None or knows_chatml
        self.stops = () if self.is_instruct else _DIALOGUE_STOPS
        sources = [template] if template is not None else []
        sources += [_CHATML] if knows_chatml else []
        self._environment = _environment()
        self._templates = self._compile(sources if self.is_instruct else [_DIALOGUE])
        self._names = {name: _token_text(tokenizer.config, name) for name in _TOKEN_NAMES}

    @property
    def text_front(self) -> tuple[int, ...]:
        """What this model wants in front of any text: its begin token, or nothing.

        Folders from elsewhere often leave this to the tokenizer's file.
        """
        if "add_bos_token" in self._tokenizer.config:
            return self._with_bos([])
        bos = self._names["bos_token"]
        bos_id = self._tokenizer.token_id(bos) if bos else None
        if bos_id is None or self._tokenizer.front_id != bos_id:
            return ()
        return (bos_id,)

    @classmethod
    def load(cls, folder: Path, tokenizer: Tokenizer) -> "PromptBuilder":
        """Return the builder for a model folder.

        Raises:
            ModelDamaged: The template's file cannot be read.
            ModelUnsupported: Its template is unusable, and ChatML's tokens are not there.
        """
        return cls(tokenizer, _read_template(folder, tokenizer.config))

    def build(
        self,
        messages: Sequence[ChatMessage],
        *,
        spelled: dict[str, list[int]] | None = None,
        continues: bool = False,
    ) -> tuple[int, ...]:
        """Return the prompt's ids, up to where the assistant's answer begins.

        Args:
            messages: Oldest first.
            spelled: Ids of texts that are known already; those of the others are added.
            continues: The prompt ends with the text of the last message, which stays open.

        Raises:
            EmptyPrompt: There is no message.
            ModelUnsupported: No template can express these messages.
        """
        if not messages:
            raise EmptyPrompt
        moved = _without_system(messages)
        for template in self._templates:
            for candidate in dict.fromkeys((tuple(messages), moved, _in_turns(moved))):
                rendered = self._render(template, candidate, continues=continues)
                if rendered is not None:
                    known = {} if spelled is None else spelled
                    return self._encode(rendered, candidate, known, continues=continues)
        raise ModelUnsupported(what="chat template")

    def _compile(self, sources: Sequence[str]) -> list[jinja2.Template]:
        compiled = []
        for source in sources:
            try:
                compiled.append(self._environment.from_string(source))
            except _RENDERING_ERRORS:
                continue
        if not compiled:
            raise ModelUnsupported(what="chat template")
        return compiled

    def _render(
        self, template: jinja2.Template, messages: Sequence[ChatMessage], *, continues: bool
    ) -> str | None:
        """Return the rendered marks, or None where the template refuses or loses a message."""
        marked = [
            {"role": message.role, "content": f"{_SPACE}\ue000{index}\ue001{_SPACE}"}
            for index, message in enumerate(messages)
        ]
        try:
            rendered = template.render(
                messages=marked,
                add_generation_prompt=not continues,
                tools=None,
                documents=None,
                **self._names,
            )
        except _RENDERING_ERRORS:
            return None
        found = {int(match[2]) for match in _MARK.finditer(rendered)}
        return rendered if found == set(range(len(messages))) else None

    def _encode(
        self,
        rendered: str,
        messages: Sequence[ChatMessage],
        spelled: dict[str, list[int]],
        *,
        continues: bool,
    ) -> tuple[int, ...]:
        ids: list[int] = []
        begin = 0
        last = len(messages) - 1
        for match in _MARK.finditer(rendered):
            begins = self._take_template(rendered[begin : match.start()], ids)
            begin = match.end()
            message = messages[int(match[2])]
            is_open = continues and int(match[2]) == last
            text = message.content
            text = text if match[1] or is_open else text.lstrip()
            text = text if match[3] or is_open else text.rstrip()
            ids += self._spell(message.role, text, spelled, begins=begins)
            if is_open:
                return self._with_bos(ids)
        self._take_template(rendered[begin:], ids)
        return self._with_bos(ids)

    def _take_template(self, text: str, ids: list[int]) -> bool:
        """Append a part of the template, and say whether what follows begins as a word does.

        Vocabularies that put a space in front of a text have it inside the first word's piece: a
        space that ends the template's part is that one, and no piece of its own.
        """
        is_start = not ids
        if not self._tokenizer.adds_space:
            ids += self._tokenizer.encode(text)
            return True
        ids += self._tokenizer.encode(text.removesuffix(" "), begins=is_start)
        if text.endswith(" ") or not ids:
            return True
        return self._tokenizer.adds_space_again and ids[-1] in self._tokenizer.control_ids

    def _spell(
        self, role: Role, text: str, spelled: dict[str, list[int]], *, begins: bool
    ) -> list[int]:
        """Return the ids of a text, for an answer those that it was drawn with."""
        if begins or (role == "assistant" and text in spelled):
            if text not in spelled:
                spelled[text] = self._tokenizer.encode_plain(text)
            return spelled[text]
        return self._tokenizer.encode_plain(text, begins=False)

    def _with_bos(self, ids: list[int]) -> tuple[int, ...]:
        bos = self._names["bos_token"]
        bos_id = self._tokenizer.token_id(bos) if bos else None
        if self._tokenizer.config.get("add_bos_token") is True and bos_id is not None:
            ids = ids if ids[:1] == [bos_id] else [bos_id, *ids]
        return tuple(ids)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _Generation]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    return environment


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _now(format_: str) -> str:
    return datetime.now().astimezone().strftime(format_)


def _to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _without_system(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Put a leading system message in front of the first question: some templates know none."""
    first, *rest = messages
    if first.role != "system" or not rest or rest[0].role != "user":
        return tuple(messages)
    return (ChatMessage("user", f"{first.content}\n\n{rest[0].content}"), *rest[1:])


def _in_turns(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Join what one side said in a row: some templates want both to take turns."""
    joined: list[ChatMessage] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            text = f"{joined.pop().content}\n\n{message.content}"
            joined.append(ChatMessage(message.role, text))
        else:
            joined.append(message)
    return tuple(joined)


def _token_text(config: dict[str, Any], name: str) -> str:
    token = config.get(name)
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else ""


def _read_template(folder: Path, config: dict[str, Any]) -> str | None:
    try:
        return (folder / FILE_NAME).read_text("utf-8")
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise ModelDamaged(file=FILE_NAME, reason="it cannot be read") from error
    template = config.get("chat_template")
    if isinstance(template, list):
        named = {each.get("name"): each.get("template") for each in template}
        template = named.get("default")
    return template if isinstance(template, str) else None
