"""Answers go to standard output, everything else to standard error."""

import io
import json

from app.cli.output import Output
from app.messages import Notice

NOTICE = Notice("store_full", "The disk is full.", "Free some space.")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_prints_one_object_and_errors_apart() -> None:
    out, err = io.StringIO(), io.StringIO()
    output = Output(as_json=True, out=out, err=err)
    output.status("page 1 of 9")
    output.note("beside")
    output.result({"text": "Grüße"})
    output.error(NOTICE)
    assert json.loads(out.getvalue()) == {"text": "Grüße"}
    assert json.loads(err.getvalue()) == {
        "error": {
            "code": "store_full",
            "message": "The disk is full.",
            "action": "Free some space.",
        }
    }


def test_a_person_reads_a_sentence_and_an_action() -> None:
    err = io.StringIO()
    Output(as_json=False, out=io.StringIO(), err=err).error(NOTICE)
    assert err.getvalue() == "snug: The disk is full. Free some space.\n"


def test_the_status_line_is_gone_before_the_answer() -> None:
    out, err = io.StringIO(), Terminal()
    output = Output(as_json=False, out=out, err=err)
    output.status("Loading the model…")
    output.text("Paris.")
    assert err.getvalue().endswith("\r\x1b[K")
    assert out.getvalue() == "Paris."


def test_no_status_line_where_nobody_watches() -> None:
    err = io.StringIO()
    Output(as_json=False, out=io.StringIO(), err=err).status("Loading the model…")
    assert err.getvalue() == ""


def test_a_thought_goes_beside_the_answer_and_is_dimmed_at_a_terminal_only() -> None:
    for err, expected in ((io.StringIO(), "hm"), (Terminal(), "\x1b[2mhm\x1b[22m")):
        out = io.StringIO()
        output = Output(as_json=False, out=out, err=err)
        output.thought("hm")
        output.text("yes")
        assert (out.getvalue(), err.getvalue()) == ("yes", expected)
