"""The worker's answer to one inject request: which harness, which moment, which memories, in its shape."""

import json
import logging
import threading
from datetime import UTC, datetime
from typing import Any

from neo4j import Driver
from neo4j.exceptions import DriverError, Neo4jError

from dreamhook import harness, paths
from dreamhook.config import Config
from dreamhook.event import Event, Moment
from dreamhook.hook import pack
from dreamhook.install import installed
from dreamhook.recall import search
from dreamhook.recall.blocks import prompt_block, start_block
from dreamhook.recall.scopes import permitted
from dreamhook.scrub.scrub import load_key, scrub_text
from dreamhook.store.link import Link

log = logging.getLogger("dreamhook")
CATALOGUE = 400
AT_ONCE = 8
"""Questions that may wait for the store. One more than that is answered with nothing: the store hangs."""


class Recaller:
    """Answers requests, each in its connection's own thread; the hook's deadline, not ours, ends a slow one."""

    def __init__(self, link: Link, settings: Config) -> None:
        self.link, self.settings = link, settings
        self.answered = 0
        self._waiting = threading.BoundedSemaphore(AT_ONCE)
        self._key = load_key(paths.make_private(paths.config_dir()))

    def answer(self, client: str, payload: bytes) -> bytes:
        """What the hook should print; never raises."""
        self.answered += 1
        try:
            data = json.loads(payload.decode("utf-8-sig", "replace"))
            return self._reply(client, data) if isinstance(data, dict) else b""
        except (ValueError, RecursionError, harness.UnknownClient) as error:
            log.warning("inject: payload not understood: %s", type(error).__name__)
        except Exception as error:  # the program's edge for one request
            log.warning("inject: no answer: %s", type(error).__name__)
        return b""

    def _reply(self, client: str, payload: dict[str, Any]) -> bytes:
        sender = harness.sender(client, payload)
        event = sender.normalise(payload)
        moment = sender.moment(event)
        twice = client != sender.CLIENT and installed(sender.CLIENT)  # its own hook answers already
        if moment is None or twice or (moment == "start" and event.get("source") in ("resume", "fork")):
            return sender.reply(event, "")  # a resumed session still holds what it was told
        reply = sender.reply(event, self._context(moment, event))
        folder = event.get("cwd")
        if moment == "start" and folder:
            if self.link.driver is None:
                return pack.read(client, folder) or reply
            pack.write(client, folder, reply)
        return reply

    def _context(self, moment: Moment, event: Event) -> str:
        driver = self.link.driver
        if driver is None or not self._waiting.acquire(blocking=False):
            return ""
        try:
            return scrub_text(self._ask(driver, moment, event), self._key)
        except (DriverError, Neo4jError) as error:
            log.warning("inject: the store did not answer: %s", type(error).__name__)
            return ""
        finally:
            self._waiting.release()

    def _ask(self, driver: Driver, moment: Moment, event: Event) -> str:
        scopes = permitted(self.settings, event.get("cwd"))
        today = datetime.now(UTC).date()
        if moment == "start":
            return start_block(search.at_start(driver, scopes, CATALOGUE, self.link.database), today)
        return prompt_block(search.search(driver, event.get("prompt", ""), scopes, self.link.database), today)
