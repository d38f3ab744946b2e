"""The record by which Codex trusts a hook, computed, so that `codex exec` runs ours in a throw-away home.

Found by experiment on Codex 0.171.0: all hashes its own review wrote were reproduced. config.toml holds

    [hooks.state."<absolute path of hooks.json>:<event_in_snake_case>:<group>:<handler>"]
    trusted_hash = "sha256:…"        # of the entry's compact JSON with sorted keys and defaults filled in

For tests only: on a developer's machine the record stands for the developer's own review under /hooks.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

SHORT = {"SessionEnd", "Interrupt"}  # default timeout 1 s, never above 3; all others 600
NO_MATCHER = {"UserPromptSubmit", "Stop", "Interrupt"}


def trust_lines(hooks_json: Path) -> list[str]:
    """Lines of TOML that mark every hook of this hooks.json as reviewed."""
    lines = []
    for event, groups in json.loads(hooks_json.read_text(encoding="utf-8"))["hooks"].items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for g, group in enumerate(groups):
            for h, handler in enumerate(group["hooks"]):
                lines += [
                    f'[hooks.state."{hooks_json}:{name}:{g}:{h}"]',
                    f'trusted_hash = "{_hash(event, name, group, handler)}"',
                ]
    return lines


def _hash(event: str, name: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    timeout = max(1, handler.get("timeout", 1 if event in SHORT else 600))
    entry = {"type": "command", "command": handler["command"], "async": handler.get("async", False)}
    entry["timeout"] = min(3, timeout) if event in SHORT else timeout
    entry |= {
        key: handler[key] for key in ("statusMessage", "additionalContextLimit") if key in handler
    }
    identity: dict[str, Any] = {"event_name": name, "hooks": [entry]}
    if "matcher" in group and event not in NO_MATCHER:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
