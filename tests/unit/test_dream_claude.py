import json

import pytest

from dream import claude_cli
from dream.answer import Unusable
from dream.budget import Usage
from dream.errors import DreamError, NoAccess


def printed(**more: object) -> str:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 7,
        "output_tokens": 3,
    }
    return json.dumps(
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "x",
            "usage": usage,
            **more,
        }
    )


def test_the_answer_and_what_it_cost_are_read() -> None:
    used = Usage()
    assert claude_cli.read(printed(), "", 0, used) == "x"
    assert (used.input_tokens, used.output_tokens, used.cache_read_tokens) == (22, 3, 7)


@pytest.mark.parametrize(
    ("out", "kind", "line"),
    [
        ("", NoAccess, "claude ended with 1: boom"),
        ("[1]", NoAccess, "claude ended with 1"),
        (
            printed(is_error=True, result="Please run /login"),
            NoAccess,
            "claude refused: Please run /login",
        ),
        (
            printed(is_error=True, result="busy", api_error_status=529),
            DreamError,
            "claude answered 529: busy",
        ),
        (printed(result=None), Unusable, "no text"),
    ],
)
def test_every_other_end_is_one_clear_line(out: str, kind: type[Exception], line: str) -> None:
    with pytest.raises(kind, match=line):
        claude_cli.read(out, "boom", 1, Usage())


def test_nothing_of_a_setting_a_tool_or_a_session_is_used() -> None:
    request = {"model": "m", "system": [{"type": "text", "text": "s"}]}
    command = claude_cli.command("claude", request)
    assert command[command.index("--tools") + 1] == ""
    assert command[command.index("--setting-sources") + 1] == ""
    assert {"--strict-mcp-config", "--no-session-persistence", "-p"} <= set(command)
