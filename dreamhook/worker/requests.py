"""The worker's answer to one inject request: from which harness, at which moment, in time, in its shape."""

import json
import logging
import threading
import time
from dataclasses import replace
from typing import Any

from neo4j.exceptions import DriverError, Neo4jError

from dreamhook import harness
from dreamhook.config import Config
from dreamhook.event import Event, InjectPoint
from dreamhook.harness.origin import NOWHERE, Origin
from dreamhook.hook import cached_start, inject
from dreamhook.install import installed
from dreamhook.recall.context import FORGOT, GOES_ON, Teller, Told, conversation_of
from dreamhook.recall.injected import Given
from dreamhook.store.link import NOT_TRIED, Link

log = logging.getLogger("dreamhook")
AT_ONCE = 8
"""Questions that may wait for the store. One more than that is answered with nothing: the store hangs."""
LANES = 64
"""Where a start may be lost, a conversation's questions are answered one after another: one of them tells it."""
SENT_S = 0.02
"""The hook's clock began this much before ours, about."""
MARGIN_S = 0.1
"""Before the hook's deadline, for asking and answering."""
AFTER_TOOLS = ("tool", "failure")


class Recaller:
    """Answers requests, each in its connection's own thread; the hook's deadline, not ours, ends a slow one."""

    def __init__(self, link: Link, settings: Config) -> None:
        self.link, self.settings = link, settings
        self.teller = Teller(link, settings)
        self.answered = 0
        self._waiting = threading.BoundedSemaphore(AT_ONCE)
        self._lanes = [threading.Lock() for _ in range(LANES)]

    def answer(self, client: str, payload: bytes) -> bytes:
        """What the hook should print; never raises."""
        self.answered += 1
        began = time.monotonic()
        try:
            data = json.loads(payload.decode("utf-8-sig", "replace"))
            return self._reply(client, data, began) if isinstance(data, dict) else b""
        except (ValueError, RecursionError, harness.UnknownClient) as error:
            log.warning("inject: payload not understood: %s", type(error).__name__)
        except Exception as error:  # the program's edge for one request
            log.warning("inject: no answer: %s", type(error).__name__)
        return b""

    def _reply(self, client: str, payload: dict[str, Any], began: float) -> bytes:
        sender = harness.sender(client, payload)
        event = sender.normalise(payload)
        deadline = began + inject.patience_s(event["event_name"] == "SessionStart")
        moment = sender.inject_point(event)
        twice = client != sender.CLIENT and installed(sender.CLIENT)  # its own hook answers already
        unasked = moment == "subagent" and not self.settings.subagents
        if moment is None or twice or unasked:
            return sender.reply(event, "")
        self._await_first_connection(deadline)
        lane = (
            self._lanes[hash(conversation_of(event)) % LANES] if sender.START_MAY_BE_LOST else None
        )
        if lane and not lane.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return b""  # nobody waits any more
        try:
            if lane and moment == "start" and self.teller.told_here(conversation_of(event)):
                return sender.reply(event, "")  # the first prompt was faster
            origin = sender.origin(payload) if event.get("source") == "fork" else NOWHERE
            return self._answer(sender, moment, event, origin, deadline)
        finally:
            if lane:
                lane.release()

    def _answer(
        self,
        sender: harness.Harness,
        moment: InjectPoint,
        event: Event,
        origin: Origin,
        deadline: float,
    ) -> bytes:
        """The reply, noted as given if it comes in time; empty where a later hook should ask again."""
        found = self._context(moment, event, sender.START_MAY_BE_LOST, origin)
        if found is None:
            return self._without_store(sender, moment, event)
        context, given = found
        reply = sender.reply(event, context)
        in_time = (
            time.monotonic() < deadline - SENT_S
        )  # the hook still waits: this is what it prints
        if given and (in_time or given.parent or given.forget):
            self.teller.ledger.note(
                given if in_time else replace(given, memories=(), told="nothing")
            )
        return reply

    def _without_store(self, sender: harness.Harness, moment: InjectPoint, event: Event) -> bytes:
        """The last pack where a conversation begins; after a tool, nothing for now."""
        conversation = conversation_of(event)
        begins = moment == "start" and event.get("source") not in GOES_ON
        late = moment == "tool" and not self.teller.told_here(conversation)
        kept = cached_start.read(sender.CLIENT, event.get("cwd", "")) if begins or late else b""
        forget = moment == "start" and event.get("source") in FORGOT
        if kept or forget:
            self.teller.ledger.note(
                Given(conversation, forget=forget, told="notes" if kept else "nothing")
            )
        return kept or (b"" if moment in AFTER_TOOLS else sender.reply(event, ""))

    def _await_first_connection(self, deadline: float) -> None:
        """A worker that has just begun connects while its first question waits; one whose store is away answers."""
        while (
            self.link.store is None
            and self.link.failure == NOT_TRIED
            and time.monotonic() < deadline - MARGIN_S
        ):
            time.sleep(0.005)

    def _context(
        self, moment: InjectPoint, event: Event, lossy: bool, origin: Origin
    ) -> Told | None:
        """None when the store did not answer. `lossy`: the harness may have lost the start, or have it later."""
        store = self.link.store
        if store is None or not self._waiting.acquire(blocking=False):
            return None
        try:
            return self.teller.tell(store, moment, event, origin, lossy)
        except (DriverError, Neo4jError) as error:
            log.warning("inject: the store did not answer: %s", type(error).__name__)
            return None
        finally:
            self._waiting.release()
