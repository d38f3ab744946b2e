"""The worker's answer to one inject request: which harness, which moment, which memories, in its shape."""

import json
import logging
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from dreamhook.recall.closeness import Closeness

log = logging.getLogger("dreamhook")
AT_ONCE = 8
"""Questions that may wait for the store. One more than that is answered with nothing: the store hangs."""
LANES = 64
"""Where a start may be lost, a conversation's questions are answered one after another: one of them tells it."""
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
AFTER_TOOLS = ("tool", "failure")
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
        self._lanes = [threading.Lock() for _ in range(LANES)]
        self._key = passing_key(paths.make_private(paths.config_dir()))
        self.ledger = Ledger(self._store)
        self._rarity = RarityCache(self._count_terms)
        self._closeness = _closeness() if settings.semantic else None

    def settle(self) -> None:
        """Let what goes on behind the answers come to its end: before the store's driver is closed."""
        self._rarity.settle()
        self.ledger.settle()

    def close(self) -> None:
        """End for good what goes on behind the answers."""
        self.settle()
        if self._closeness:
            self._closeness.close()

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
            deadline = began + inject.patience_s(payload)
            return self._reply(client, data, began, deadline) if isinstance(data, dict) else b""
        except (ValueError, RecursionError, harness.UnknownClient) as error:
            log.warning("inject: payload not understood: %s", type(error).__name__)
        except Exception as error:  # the program's edge for one request
            log.warning("inject: no answer: %s", type(error).__name__)
        return b""

    def _reply(self, client: str, payload: dict[str, Any], began: float, deadline: float) -> bytes:
        sender = harness.sender(client, payload)
        event = sender.normalise(payload)
        moment = sender.moment(event)
        twice = client != sender.CLIENT and installed(sender.CLIENT)  # its own hook answers already
        unasked = moment == "subagent" and not self.settings.subagents
        if moment is None or twice or unasked:
            return sender.reply(event, "")
        self._await_first_connection(deadline)
        lane = self._lanes[hash(_conversation(event)) % LANES] if may_lose_start(sender) else None
        if lane and not lane.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return b""  # nobody waits any more
        try:
            if lane and moment == "start" and (self.ledger.since(_conversation(event)) or 0) > began:
                return sender.reply(event, "")  # while it waited, the first prompt was told
            origin = sender.origin(payload) if event.get("source") == "fork" else NOWHERE
            return self._answer(sender, moment, event, origin, deadline)
        finally:
            if lane:
                lane.release()

    def _answer(self, sender: harness.Harness, moment: Moment, event: Event, origin: Origin, deadline: float) -> bytes:
        """The reply, noted as given if it comes in time; empty where a later hook should ask again."""
        found = self._context(moment, event, may_lose_start(sender), origin)
        if found is None:
            return self._without_store(sender, moment, event)
        context, given = found
        reply = sender.reply(event, context)
        in_time = time.monotonic() < deadline - SENT_S  # the hook still waits: this is what it prints
        if given and (in_time or given.parent):
            self.ledger.note(given if in_time else replace(given, memories=(), told=False))
        return reply

    def _without_store(self, sender: harness.Harness, moment: Moment, event: Event) -> bytes:
        """The last pack where a conversation begins; after a tool, nothing for now."""
        conversation = _conversation(event)
        begins = moment == "start" and event.get("source") not in GOES_ON
        late = moment == "tool" and not self._told_here(conversation)
        kept = pack.read(sender.CLIENT, event.get("cwd", "")) if self.link.driver is None and (begins or late) else b""
        if kept:
            self.ledger.note(Given(conversation))
        return kept or (b"" if moment in AFTER_TOOLS else sender.reply(event, ""))

    def _await_first_connection(self, deadline: float) -> None:
        """A worker that has just begun connects while its first question waits; one whose store is away answers."""
        while self.link.driver is None and self.link.failure == NOT_TRIED and time.monotonic() < deadline - MARGIN_S:
            time.sleep(0.005)

    def _context(self, moment: Moment, event: Event, lossy: bool, origin: Origin) -> Answer | None:
        """None when the store did not answer. `lossy`: the harness may have lost the start, or have it later."""
        driver = self.link.driver
        if driver is None or not self._waiting.acquire(blocking=False):
            return None
        try:
            scopes = permitted(self.settings, event.get("cwd"))
            if moment == "subagent":
                context, given = self._begin(driver, scopes, event)
            elif moment != "start":
                context, given = self._at_prompt(driver, scopes, event, moment, lossy)
            else:
                context, given = self._at_start(driver, scopes, event, origin)
            return scrub_text(context, self._key), given
        except (DriverError, Neo4jError) as error:
            log.warning("inject: the store did not answer: %s", type(error).__name__)
            return None
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
        left = "" if source in OWN_TEXT else handoff(driver, scopes, conversation, self.link.database)
        return self._begin(driver, scopes, event, left)

    def _begin(self, driver: Driver, scopes: Scopes, event: Event, left: str = "") -> Answer:
        """The whole block, for a conversation that holds nothing yet or no longer; its folder's packs say the same."""
        memories = search.at_start(driver, scopes, CATALOGUE, self.link.database)
        block = blocks.start_block(memories, _today(), left)
        if folder := event.get("cwd"):
            plain = block if not left else blocks.start_block(memories, _today())
            write_packs(folder, scrub_text(plain, self._key))
        told = blocks.told_at_start(memories, block)
        return block, Given(_conversation(event), told, forget=event.get("source") in FORGOT)

    def _going_on(
        self, driver: Driver, scopes: Scopes, conversation: Conversation, parent: Conversation | None
    ) -> Answer:
        """Only what changed: both harnesses keep or repeat what the conversation, or its parent, was told."""
        changed = search.changed_since_told(driver, scopes, parent or conversation, CATALOGUE, self.link.database)
        block = blocks.changed_block(changed, _today())
        given = Given(conversation, blocks.told_at_start(changed, block), parent=parent, told=bool(block))
        return block, given if block or parent else None

    def _told(self, driver: Driver, conversation: Conversation) -> bool:
        """Whether a conversation was ever told anything: by this worker, by a hook from a pack, or by one before."""
        return self._told_here(conversation) or standing(driver, conversation, self.link.database).told

    def _told_here(self, conversation: Conversation) -> bool:
        return self.ledger.knows(conversation) or pack.was_served(conversation.session_id)

    def _at_prompt(self, driver: Driver, scopes: Scopes, event: Event, moment: Moment, lossy: bool) -> Answer:
        """Notes that fit the prompt or the failure; before them the start, if the harness may have lost it."""
        conversation = _conversation(event)
        start, forget = "", False
        told: list[Memory] = []
        if lossy:
            start, told, forget = self._start_with_prompt(driver, scopes, event)
        found = search.search(
            driver,
            "" if moment == "tool" else _question(event),
            scopes,
            self.link.database,
            conversation=conversation,
            rarity=self._rarity.get(scopes),
            closeness=self._closeness.of if self._closeness else None,
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
        told = where.told or self._told_here(conversation)
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
        notes = search.sample(driver, scopes, self.link.database) if driver else []
        if self._closeness:
            self._closeness.prepare(notes)
        return search.count_sample(notes)


def _closeness() -> "Closeness":
    from dreamhook.recall.closeness import Closeness  # sqlite3 and a model: for those who want them

    return Closeness()


def may_lose_start(sender: harness.Harness) -> bool:
    return bool(getattr(sender, "START_MAY_BE_LOST", False))


def _question(event: Event) -> str:
    """What is asked of memory: the prompt, or the command that failed and its error."""
    failure = event.get("error") or event.get("tool_response", "")
    return event.get("prompt") or f"{event.get('tool_input', '')[:COMMAND]}\n{failure}"


def _conversation(event: Event) -> Conversation:
    return Conversation(event["client"], event["session_id"])


def _today() -> date:
    return datetime.now(UTC).date()
