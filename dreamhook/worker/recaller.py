"""The worker's answer to one inject request: which harness, which moment, which memories, in its shape."""

import json
import logging
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from neo4j import Driver
from neo4j.exceptions import DriverError, Neo4jError

from dreamhook import harness, paths
from dreamhook.config import Config
from dreamhook.event import Event, Moment
from dreamhook.harness.origin import Origin
from dreamhook.hook import inject, pack
from dreamhook.install import installed
from dreamhook.recall import blocks, forked, search
from dreamhook.recall.handoff import handoff
from dreamhook.recall.ledger import Given, Ledger, standing
from dreamhook.recall.notes import Memory
from dreamhook.recall.packs import CATALOGUE, write_packs
from dreamhook.recall.rarity import Rarity, RarityCache
from dreamhook.recall.scopes import Scopes, permitted
from dreamhook.recall.search import Conversation
from dreamhook.scrub.key import passing_key
from dreamhook.scrub.scrub import scrub_text
from dreamhook.store.link import NOT_TRIED, Link

log = logging.getLogger("dreamhook")
AT_ONCE = 8
"""Questions that may wait for the store. One more than that is answered with nothing: the store hangs."""
COMMAND = 500
"""Characters of a failed command that are looked at; what it was given as input may be a whole file."""
SENT_S = 0.02
"""The hook's clock began this much before ours, about."""
MARGIN_S = 0.1
"""Before the hook's deadline, for asking and answering."""
WARM_PROMPTS = (
    "orders twice",
    "does retry_batch() in src/importer.py process orders twice?",
    " ".join(f"w{n}" for n in range(60)),
)
"""Short, usual and long, and below a short and a long client's name: the store plans anew for texts of another size."""
WARM_CONVERSATIONS = tuple(
    Conversation(client, "00000000-0000-4000-8000-000000000000") for client in ("codex", "claude_code")
)
GOES_ON = ("resume", "fork")
"""Sources of a start whose conversation still holds what it was told."""
FORGOT = ("compact", "clear")
OWN_TEXT = (*FORGOT, "fork")
"""Sources of a start that needs no handoff: what was left last is the conversation's own."""
NOWHERE = Origin()

Answer = tuple[str, Given | None]
"""The context, and what to note of it."""


class Recaller:
    """Answers requests, each in its connection's own thread; the hook's deadline, not ours, ends a slow one."""

    def __init__(self, link: Link, settings: Config) -> None:
        self.link, self.settings = link, settings
        self.answered = 0
        self._waiting = threading.BoundedSemaphore(AT_ONCE)
        self._key = passing_key(paths.make_private(paths.config_dir()))
        self.ledger = Ledger(self._store)
        self._rarity = RarityCache(self._count_terms)

    def settle(self) -> None:
        """Let what goes on behind the answers come to its end: before the store's driver is closed."""
        self._rarity.settle()
        self.ledger.settle()

    def warm(self, driver: Driver) -> None:
        """Ask each question of a start and a prompt before somebody waits for it.

        A store that has just begun takes most of a second for its first answer of a kind, and the hook waits a quarter.
        """
        names = [f"person:{self.settings.person}", "repo:nowhere-000000000000"]
        names += [f"workspace:{self.settings.workspace}"] if self.settings.workspace else []
        scopes, database = Scopes(tuple(names), self.settings.person), self.link.database
        try:
            for conversation in WARM_CONVERSATIONS:
                memories = search.at_start(driver, scopes, CATALOGUE, database)
                left = handoff(driver, scopes, conversation, database)
                scrub_text(blocks.start_block(memories, _today(), left), self._key)
                standing(driver, conversation, database)
                search.changed_since_told(driver, scopes, conversation, CATALOGUE, database)
                for prompt in WARM_PROMPTS:
                    rarity = self._rarity.get(scopes)
                    found = search.search(driver, prompt, scopes, database, conversation=conversation, rarity=rarity)
                    scrub_text(blocks.prompt_block(blocks.chosen(found), _today())[0], self._key)
        except (DriverError, Neo4jError):
            pass  # the first question will meet the same, and tell

    def answer(self, client: str, payload: bytes) -> bytes:
        """What the hook should print; never raises."""
        self.answered += 1
        began = time.monotonic()
        try:
            data = json.loads(payload.decode("utf-8-sig", "replace"))
            return self._reply(client, data, began + inject.patience_s(payload)) if isinstance(data, dict) else b""
        except (ValueError, RecursionError, harness.UnknownClient) as error:
            log.warning("inject: payload not understood: %s", type(error).__name__)
        except Exception as error:  # the program's edge for one request
            log.warning("inject: no answer: %s", type(error).__name__)
        return b""

    def _reply(self, client: str, payload: dict[str, Any], deadline: float) -> bytes:
        sender = harness.sender(client, payload)
        event = sender.normalise(payload)
        moment = sender.moment(event)
        twice = client != sender.CLIENT and installed(sender.CLIENT)  # its own hook answers already
        if moment is None or twice:
            return sender.reply(event, "")
        self._await_first_connection(deadline)
        first = getattr(sender, "START_MAY_BE_LOST", False) and moment == "prompt"
        origin = sender.origin(payload) if event.get("source") == "fork" else NOWHERE
        context, given = self._context(moment, event, first, origin)
        reply = sender.reply(event, context)
        if moment == "start" and self.link.driver is None and event.get("source") not in GOES_ON:
            kept = pack.read(client, event.get("cwd", ""))
            if kept:
                self.ledger.note(Given(_conversation(event)))
            return kept or reply
        in_time = time.monotonic() < deadline - SENT_S  # the hook still waits: this is what it prints
        if given and (in_time or given.parent):
            self.ledger.note(given if in_time else replace(given, memories=(), told=False))
        return reply

    def _await_first_connection(self, deadline: float) -> None:
        """A worker that has just begun connects while its first question waits; one whose store is away answers."""
        while self.link.driver is None and self.link.failure == NOT_TRIED and time.monotonic() < deadline - MARGIN_S:
            time.sleep(0.005)

    def _context(self, moment: Moment, event: Event, first: bool, origin: Origin) -> Answer:
        driver = self.link.driver
        if driver is None or not self._waiting.acquire(blocking=False):
            return "", None
        try:
            scopes = permitted(self.settings, event.get("cwd"))
            if moment == "start":
                context, given = self._at_start(driver, scopes, event, origin)
            else:
                context, given = self._at_prompt(driver, scopes, event, first)
            return scrub_text(context, self._key), given
        except (DriverError, Neo4jError) as error:
            log.warning("inject: the store did not answer: %s", type(error).__name__)
            return "", None
        finally:
            self._waiting.release()

    def _at_start(self, driver: Driver, scopes: Scopes, event: Event, origin: Origin = NOWHERE) -> Answer:
        self._rarity.get(scopes)  # counted by the time of the first prompt
        conversation = _conversation(event)
        source = event.get("source")
        parent = None
        if source == "fork":
            parent = forked.parent(driver, conversation, origin, event.get("cwd", ""), self.link.database)
        if source in GOES_ON and (parent is None or self._told(driver, parent)):
            return self._going_on(driver, scopes, conversation, parent)
        memories = search.at_start(driver, scopes, CATALOGUE, self.link.database)
        left = "" if source in OWN_TEXT else handoff(driver, scopes, conversation, self.link.database)
        block = blocks.start_block(memories, _today(), left)
        if folder := event.get("cwd"):
            plain = block if not left else blocks.start_block(memories, _today())
            write_packs(folder, scrub_text(plain, self._key))
        return block, Given(conversation, blocks.told_at_start(memories, block), forget=source in FORGOT)

    def _going_on(
        self, driver: Driver, scopes: Scopes, conversation: Conversation, parent: Conversation | None
    ) -> Answer:
        """Only what changed: both harnesses keep or repeat what the conversation, or its parent, was told."""
        changed = search.changed_since_told(driver, scopes, parent or conversation, CATALOGUE, self.link.database)
        block = blocks.changed_block(changed, _today())
        given = Given(conversation, blocks.told_at_start(changed, block), parent=parent, told=bool(block))
        return block, given if block or parent else None

    def _told(self, driver: Driver, conversation: Conversation) -> bool:
        """Whether a conversation was ever told anything, as far as this worker, a hook's mark or the store knows."""
        known = self.ledger.knows(conversation) or pack.was_served(conversation.session_id)
        return known or standing(driver, conversation, self.link.database).told

    def _at_prompt(self, driver: Driver, scopes: Scopes, event: Event, first: bool) -> Answer:
        conversation = _conversation(event)
        start, forget = "", False
        told: list[Memory] = []
        if first:
            start, told, forget = self._start_with_prompt(driver, scopes, event)
        found = search.search(
            driver,
            _question(event),
            scopes,
            self.link.database,
            conversation=conversation,
            rarity=self._rarity.get(scopes),
        )
        found = [replace(one, memory=self._as_known(conversation, one.memory, forget)) for one in found]
        block, given = blocks.prompt_block([one for one in blocks.chosen(found) if one.memory not in told], _today())
        context = "\n".join(part for part in (start, block) if part)
        if not context:
            return "", None
        return context, Given(conversation, [*told, *given], event.get("turn_id", ""), forget)

    def _start_with_prompt(self, driver: Driver, scopes: Scopes, event: Event) -> tuple[str, list[Memory], bool]:
        """The start block once more, where the harness may have lost it or has compacted it away."""
        conversation = _conversation(event)
        where = standing(driver, conversation, self.link.database)
        told = where.told or self.ledger.knows(conversation) or pack.was_served(conversation.session_id)
        if told and not where.compacted:
            return "", [], False
        block, given = self._at_start(driver, scopes, {**event, "source": "compact" if told else "startup"})
        return block, list(given.memories) if given else [], told

    def _as_known(self, conversation: Conversation, memory: Memory, forget: bool) -> Memory:
        return replace(memory, given=not forget and self.ledger.has(conversation, memory))

    def _store(self) -> tuple[Driver, str | None] | None:
        driver = self.link.driver
        return (driver, self.link.database) if driver else None

    def _count_terms(self, scopes: Scopes) -> Rarity:
        driver = self.link.driver
        return search.count_terms(driver, scopes, self.link.database) if driver else Rarity()


def _question(event: Event) -> str:
    """What is asked of memory: the prompt, or the command that failed and its error."""
    return event.get("prompt") or f"{event.get('tool_input', '')[:COMMAND]}\n{event.get('error', '')}"


def _conversation(event: Event) -> Conversation:
    return Conversation(event["client"], event["session_id"])


def _today() -> date:
    return datetime.now(UTC).date()
