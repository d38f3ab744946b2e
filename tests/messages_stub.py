"""Anthropic's Messages and Message Batches APIs on loopback, played by a script, for the real SDK (ANTHROPIC_BASE_URL).

`with MessagesStub(answer({...}), error(429), truncated()) as claude:` plays its replies in order, the last one for
ever; a reply may be a function of the request's body. `claude.requests` holds every body. Programs in another
process reach it through `claude.environment`.
"""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One HTTP answer. A `delay` (s) before it plays a slow API."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


Play = Reply | Callable[[dict[str, Any]], Reply]


def text(text: str, stop_reason: str = "end_turn") -> Reply:
    """A message with this text, whatever it is."""
    content = [{"type": "text", "text": text}] if text else []
    return Reply(
        {
            "id": "msg_stub",
            "type": "message",
            "role": "assistant",
            "model": "claude-stub",
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 50, "cache_read_input_tokens": 200},
        }
    )


def answer(value: Any) -> Reply:
    """A message whose text is this value as JSON."""
    return text(json.dumps(value, ensure_ascii=False))


def truncated() -> Reply:
    return text('{"reasoning": "it began well', "max_tokens")


def refusal() -> Reply:
    return text("", "refusal")


def error(status: int, message: str = "stubbed") -> Reply:
    """An API error; the SDK is told to try again at once."""
    body = {"type": "error", "error": {"type": "api_error", "message": message}}
    return Reply(body, status, {"retry-after-ms": "1"})


def expired() -> Reply:
    """What became of a request of a batch that nobody got to."""
    return Reply({"type": "expired"}, 408)


def said(body: dict[str, Any]) -> str:
    """All that a request tells the model, without the system prompt."""
    return "\n".join(part["text"] for message in body["messages"] for part in message["content"])


class MessagesStub(ThreadingHTTPServer):
    """Serves until the block ends."""

    daemon_threads = True

    def __init__(self, *plays: Play) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.plays = list(plays)
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.batches: dict[str, list[dict[str, Any]]] = {}
        """Batch id → its requests ({custom_id, params}). The script's replies are its results."""
        self.batches_done = False
        """Whether batches have ended when they are asked after."""

    @property
    def environment(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self.server_address[1]}"
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "stub-key"}

    def play(self, *plays: Play) -> None:
        """Begin a new script and a new record."""
        with self.lock:
            self.plays, self.requests = list(plays), []

    def reply(self, body: dict[str, Any]) -> Reply:
        with self.lock:
            self.requests.append(body)
            play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
        return play(body) if callable(play) else play

    def batch(self, batch_id: str) -> dict[str, Any]:
        """A batch as the API tells of it."""
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        host = self.environment["ANTHROPIC_BASE_URL"]
        return {
            "id": batch_id,
            "type": "message_batch",
            "processing_status": "ended" if self.batches_done else "in_progress",
            "request_counts": counts,
            "created_at": "2026-11-29T10:00:00Z",
            "expires_at": "2026-11-30T10:00:00Z",
            "results_url": f"{host}/v1/messages/batches/{batch_id}/results"
            if self.batches_done
            else None,
        }

    def results(self, batch_id: str) -> bytes:
        """A reply of the script for each request of a batch, in reverse order: the API promises none."""
        lines = []
        for request in reversed(self.batches[batch_id]):
            reply = self.reply(request["params"])
            result = (
                reply.body if reply.status != 200 else {"type": "succeeded", "message": reply.body}
            )
            lines.append(json.dumps({"custom_id": request["custom_id"], "result": result}))
        return ("\n".join(lines) + "\n").encode()

    def __enter__(self) -> "MessagesStub":
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(
            sys.exception(), ConnectionError
        ):  # a client that gave up is part of some tests
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    server: MessagesStub
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/v1/messages/batches":
            batch_id = f"msgbatch_{len(self.server.batches) + 1}"
            self.server.batches[batch_id] = body["requests"]
            self._send(Reply(self.server.batch(batch_id)))
            return
        reply = self.server.reply(body)
        self.server.ended.wait(reply.delay)
        self._send(reply)

    def do_GET(self) -> None:
        batch_id, _, results = self.path.removeprefix("/v1/messages/batches/").partition("/")
        if batch_id not in self.server.batches:
            self._send(error(404, "no such batch"))
        elif results:
            self._send(
                Reply(
                    self.server.results(batch_id), headers={"content-type": "application/x-jsonl"}
                )
            )
        else:
            self._send(Reply(self.server.batch(batch_id)))

    def _send(self, reply: Reply) -> None:
        raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        pass
