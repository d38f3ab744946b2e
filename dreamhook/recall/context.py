"""What a conversation is told at one moment: the block, from the store, and what to note of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from neo4j.exceptions import DriverError, Neo4jError

from dreamhook import paths
from dreamhook.config import Config
from dreamhook.event import Event, InjectPoint
from dreamhook.harness.origin import NOWHERE, Origin
from dreamhook.hook import cached_start
from dreamhook.recall import blocks, fork, question, search
from dreamhook.recall.handoff import Left, handoff
from dreamhook.recall.idf import Rarity, RarityCache
from dreamhook.recall.injected import Given, Ledger, standing
from dreamhook.recall.notes import Memory
from dreamhook.recall.render import Wording, worded
from dreamhook.recall.scopes import Scopes, permitted
from dreamhook.recall.search import Conversation
from dreamhook.recall.start_cache import CATALOGUE, keep
from dreamhook.scrub.key import passing_key
from dreamhook.scrub.scrub import scrub_text
from dreamhook.store.link import Link
from dreamhook.store.query import Store
from dreamhook.times import now

if TYPE_CHECKING:
    from dreamhook.recall.closeness import Closeness

COMMAND = 500
"""Characters of a failed command that are looked at; what it was given as input may be a whole file."""
WARM_PROMPT = "does retry_batch() in src/importer.py process orders twice?"
WARM_CONVERSATION = Conversation("nobody", "00000000-0000-4000-8000-000000000000")
GOES_ON = ("resume", "fork")
"""Sources of a start whose conversation still holds what it was told."""
FORGOT = ("compact", "clear")
OWN_TEXT = (*FORGOT, "fork")
"""Sources of a start that needs no handoff: what was left last is the conversation's own."""

Told = tuple[str, Given | None]
"""The context, and what to note of it."""


class Teller:
    """Asks the store; keeps what it learns of terms, of meaning, and of what each conversation was given."""

    def __init__(self, link: Link, settings: Config) -> None:
        self.link, self.settings = link, settings
        self._key = passing_key(paths.make_private(paths.config_dir()))
        self.ledger = Ledger(lambda: link.store)
        self._rarity = RarityCache(self._count_terms)
        self.closeness = _closeness() if settings.semantic else None

    def settle(self) -> None:
        """Let what goes on behind the answers come to its end: before the store's driver is closed."""
        self._rarity.settle()
        self.ledger.settle()

    def close(self) -> None:
        """End for good what goes on behind the answers."""
        self.settle()
        if self.closeness:
            self.closeness.close()

    def warm(self, store: Store) -> None:
        """Ask each question of a start and a prompt before somebody waits for it.

        A store that has just begun takes most of a second for its first answer of a kind, and the hook waits a quarter.
        """
        names = [f"person:{self.settings.person}", "repo:nowhere-000000000000"]
        names += [f"workspace:{self.settings.workspace}"] if self.settings.workspace else []
        scopes = Scopes(tuple(names), self.settings.person)
        try:
            memories = search.at_start(store, scopes, CATALOGUE)
            left = handoff(store, scopes, WARM_CONVERSATION)
            blocks.start_block(memories, self._wording(), left)
            standing(store, WARM_CONVERSATION)
            search.changed_since_told(store, scopes, WARM_CONVERSATION, CATALOGUE)
            rarity = self._rarity.get(scopes)
            found = search.search(
                store, WARM_PROMPT, scopes, conversation=WARM_CONVERSATION, rarity=rarity
            )
            blocks.prompt_block(blocks.chosen(found), self._wording())
        except (DriverError, Neo4jError):
            pass  # the first question will meet the same, and tell

    def tell(
        self, store: Store, moment: InjectPoint, event: Event, origin: Origin, lossy: bool
    ) -> Told:
        """`lossy`: the harness may have lost the start, or have it later. Raises the driver's errors."""
        scopes, at = permitted(self.settings, event.get("cwd")), now()
        if moment == "subagent":
            context, given = self._begin(store, scopes, event)
        elif moment == "start":
            context, given = self._at_start(store, scopes, event, origin)
        else:
            context, given = self._at_prompt(store, scopes, event, moment, lossy)
        return scrub_text(context, self._key), given and replace(given, at=at)

    def told_here(self, conversation: Conversation) -> bool:
        """Whether this worker, or a hook from a pack, told a conversation anything."""
        return self.ledger.knows(conversation) or cached_start.was_served(conversation.session_id)

    def _at_start(
        self, store: Store, scopes: Scopes, event: Event, origin: Origin = NOWHERE
    ) -> Told:
        self._rarity.get(scopes)  # counted by the time of the first prompt
        conversation = conversation_of(event)
        source = event.get("source")
        parent = None
        if source == "fork":
            parent = fork.parent(store, conversation, origin, event.get("cwd", ""))
        if source in GOES_ON and (parent is None or self._told(store, parent)):
            return self._going_on(store, scopes, conversation, parent)
        left = [] if source in OWN_TEXT else handoff(store, scopes, conversation)
        return self._begin(store, scopes, event, left)

    def _begin(self, store: Store, scopes: Scopes, event: Event, left: Sequence[Left] = ()) -> Told:
        """The whole block, for a conversation that holds nothing yet or no longer; its folder's packs say the same."""
        memories = search.at_start(store, scopes, CATALOGUE)
        wording = self._wording()
        block, whole = blocks.start_block(memories, wording, left)
        if folder := event.get("cwd"):
            keep(folder, memories, blocks.start_block(memories, wording)[0] if left else block)
        return block, Given(
            conversation_of(event), whole, forget=event.get("source") in FORGOT, told="state"
        )

    def _going_on(
        self,
        store: Store,
        scopes: Scopes,
        conversation: Conversation,
        parent: Conversation | None,
    ) -> Told:
        """Only what changed: both harnesses keep or repeat what the conversation, or its parent, was told."""
        before = parent or conversation
        changed = search.changed_since_told(
            store, scopes, before, CATALOGUE, served=self.told_here(before)
        )
        block, whole = blocks.changed_block(changed, self._wording())
        given = Given(conversation, whole, parent=parent, told="state" if block else "nothing")
        return block, given if block or parent else None

    def _told(self, store: Store, conversation: Conversation) -> bool:
        """Whether a conversation was ever told anything: by this worker, by a hook from a pack, or by one before."""
        return self.told_here(conversation) or standing(store, conversation).told

    def _at_prompt(
        self, store: Store, scopes: Scopes, event: Event, moment: InjectPoint, lossy: bool
    ) -> Told:
        """Notes that fit the prompt or the failure; before them the start, if the harness may have lost it."""
        conversation = conversation_of(event)
        start, begun = "", None
        if lossy:
            start, begun = self._start_with_prompt(store, scopes, event)
        begun = begun or Given(conversation)
        question, parts = _question(event, moment)
        found = search.search(
            store,
            question,
            scopes,
            conversation=conversation,
            rarity=self._rarity.get(scopes),
            closeness=self.closeness.of if self.closeness else None,
            parts=parts,
        )
        found = [replace(one, memory=self._as_known(one.memory, begun)) for one in found]
        room = blocks.CEILING - len(start.encode()) - 1
        block, given = blocks.prompt_block(blocks.chosen(found), self._wording(), room)
        context = "\n".join(part for part in (start, block) if part)
        if not context:
            return "", None
        return context, replace(
            begun, memories=[*begun.memories, *given], turn_id=event.get("turn_id", "")
        )

    def _start_with_prompt(self, store: Store, scopes: Scopes, event: Event) -> Told:
        """The start block once more, where the harness may have lost it or has compacted it away."""
        conversation = conversation_of(event)
        where = standing(store, conversation)
        told = where.told or self.told_here(conversation)
        if told and not where.compacted:
            return "", None
        return self._at_start(store, scopes, {**event, "source": "compact" if told else "startup"})

    def _as_known(self, memory: Memory, begun: Given) -> Memory:
        """`begun`: what the same answer begins with."""
        before = not begun.forget and (memory.own or self.ledger.has(begun.conversation, memory))
        return replace(memory, given=before or any(one.key == memory.key for one in begun.memories))

    def _wording(self) -> Wording:
        return worded(self._key)

    def _count_terms(self, scopes: Scopes) -> Rarity:
        notes = search.sample(self.link.store, scopes) if self.link.store else []
        if self.closeness:
            self.closeness.prepare(notes)
        return search.count_sample(notes)


def _closeness() -> "Closeness":
    from dreamhook.recall.closeness import Closeness  # sqlite3 and a model: for those who want them

    return Closeness()


def conversation_of(event: Event) -> Conversation:
    return Conversation(event["client"], event["session_id"])


def _question(event: Event, moment: InjectPoint) -> tuple[str, list[str]]:
    """What is asked of memory, and what in it is a question by itself: the prompt, or the command that failed and its
    error."""
    if moment == "tool":
        return "", []
    if prompt := event.get("prompt"):
        return prompt, question.said(prompt)
    failure = event.get("error") or event.get("tool_response", "")
    return f"{event.get('tool_input', '')[:COMMAND]}\n{failure}", question.complained(failure)
