"""The model behind Claude Code and Codex, played by a script: Anthropic Messages and OpenAI Responses on loopback.

A turn is what the model does when it is asked with tools on offer: `{"say": text}`, `{"shell": command}`,
`{"agent": task}` (have a subagent do it) or `{"hold": True}` (never answer). `{"answer": function}` answers a request
without tools, as the dream's, with the text that the function makes of its body. When the turns are used up it says
"ok". The shapes of both answers are the smallest that Claude Code 2.1.332 and Codex 0.171.0 accept.
"""

import json
import sys
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELL_TOOLS = {  # the shell as each harness offers it -> the name of its argument
    "Bash": "command",
    "exec_command": "cmd",
    "shell_command": "command",
}


AGENT_TOOLS = {  # how each harness is asked for a subagent; Codex has its tool in a namespace
    "Agent": lambda task: {
        "description": "a task",
        "prompt": task,
        "subagent_type": "general-purpose",
        "run_in_background": False,
    },
    "spawn_agent": lambda task: {"message": task, "agent_type": "default"},
}


class StubModel(ThreadingHTTPServer):
    """`with StubModel() as model:` serves until the block ends. `play` starts a new script and a new record."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.requests: list[dict[str, Any]] = []
        """The body of every request since `play`, in order of arrival."""
        self.turns: list[dict[str, Any]] = []
        self.held = threading.Event()
        """Set when a `hold` turn was reached: the harness now waits for its model."""
        self.ended = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def play(self, *turns: dict[str, Any]) -> None:
        with self.lock:
            self.requests, self.turns = [], list(turns)
            self.held.clear()

    def next_turn(self, body: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            self.requests.append(body)
            fits = self.turns and bool(offered_tools(body)) != ("answer" in self.turns[0])
            turn: dict[str, Any] = self.turns.pop(0) if fits else {"say": "ok"}
        if "answer" in turn:
            return {"say": turn["answer"](body)}
        if turn.get("hold"):
            self.held.set()
            self.ended.wait()
        return turn

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(
            sys.exception(), ConnectionError
        ):  # a harness that was killed is not our error
            super().handle_error(request, client_address)

    def __enter__(self) -> "StubModel":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()


def offered_tools(body: dict[str, Any]) -> list[str]:
    """Names of the tools that a request of either format offers."""
    return [str(tool.get("name") or tool.get("type")) for tool in body.get("tools") or []]


def text_of(requests: list[dict[str, Any]]) -> str:
    """Everything that these requests tell the model, instructions and tool results included."""
    parts = (
        texts(body.get(key))
        for body in requests
        for key in ("system", "instructions", "messages", "input")
    )
    return "\n".join(text for part in parts for text in part)


def texts(value: Any) -> Iterator[str]:
    """Every string below a message list, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key in ("text", "content", "output", "arguments", "input"):
            yield from texts(value.get(key))


def anthropic_message(body: dict[str, Any], turn: dict[str, Any]) -> dict[str, Any]:
    """One Messages answer, whole."""
    tool = _call(body, turn)
    block: dict[str, Any] = {"type": "text", "text": turn.get("say", "")}
    if tool:
        block = {"type": "tool_use", "id": _id("toolu_"), "name": tool[0]["name"]}
        block |= {"input": {"description": "a command"} | tool[1]}
    message: dict[str, Any] = {
        "id": _id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
    }
    message |= {
        "content": [block],
        "stop_reason": "tool_use" if tool else "end_turn",
        "stop_sequence": None,
    }
    return message | {"usage": {"input_tokens": 5, "output_tokens": 5}}


def anthropic_events(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The same answer as an event stream."""
    [block] = message["content"]
    if block["type"] == "tool_use":
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
    stop = {key: message[key] for key in ("stop_reason", "stop_sequence")}
    return [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": message["usage"]},
        {"type": "message_stop"},
    ]


def openai_events(body: dict[str, Any], turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The event stream of one Responses answer."""
    tool = _call(body, turn)
    item: dict[str, Any]
    if tool:
        item = {
            "type": "function_call",
            "id": _id("fc_"),
            "call_id": _id("call_"),
            "status": "completed",
        }
        item |= {**tool[0], "arguments": json.dumps(tool[1])}
    else:
        item = {"type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed"}
        item |= {
            "content": [{"type": "output_text", "text": turn.get("say", ""), "annotations": []}]
        }
    response: dict[str, Any] = {
        "id": _id("resp_"),
        "object": "response",
        "model": body.get("model"),
        "output": [],
    }
    usage: dict[str, Any] = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}
    usage |= {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [item], "usage": usage},
        },
    ]


def _call(
    body: dict[str, Any], turn: dict[str, Any]
) -> tuple[dict[str, str], dict[str, Any]] | None:
    """(name and perhaps namespace of the tool, its arguments)"""
    if "shell" in turn:
        name = next(name for name in offered_tools(body) if name in SHELL_TOOLS)
        return {"name": name}, {SHELL_TOOLS[name]: turn["shell"]}
    if "agent" in turn:
        tool = next(tool for tool in _named_tools(body) if tool["name"] in AGENT_TOOLS)
        return tool, AGENT_TOOLS[tool["name"]](turn["agent"])
    return None


def _named_tools(body: dict[str, Any]) -> Iterator[dict[str, str]]:
    for tool in body.get("tools") or []:
        yield {"name": str(tool.get("name"))}
        for inner in tool.get("tools") or []:
            yield {"name": str(inner.get("name")), "namespace": str(tool.get("name"))}


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StubModel

    def log_message(self, *args: object) -> None:  # requests are kept, not printed
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self._json({"data": [], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/messages"):
            message = anthropic_message(body, self.server.next_turn(body))
            if body.get("stream"):
                self._stream(anthropic_events(message))
            else:
                self._json(message)
        elif path.endswith("/responses"):
            self._stream(openai_events(body, self.server.next_turn(body)))
        elif path.endswith("/count_tokens"):
            self._json({"input_tokens": 5})
        else:
            self._json({})

    def _json(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: list[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.close_connection = True
