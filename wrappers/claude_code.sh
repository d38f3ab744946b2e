#!/bin/sh
# What Claude Code runs: claude_code.sh log_event|inject, one payload on stdin. It must never fail the agent.
here=${0%/*}/..
[ -x "$here/.venv/bin/python" ] && [ -r "$here/hooks/$1.py" ] || exit 0
exec "$here/.venv/bin/python" -I -S "$here/hooks/$1.py" --client claude_code --foreign-key cursor_version "$@" 2>/dev/null
