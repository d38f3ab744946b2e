#!/bin/sh
# What Cursor runs: cursor.sh log_event|inject, one payload on stdin. It must never fail the agent.
here=${0%/*}/..
[ "$1" = inject ] && nothing='{"continue":true}' || nothing='{}' # Cursor wants an object even for nothing
[ -x "$here/.venv/bin/python" ] && [ -r "$here/hooks/$1.py" ] || { echo "$nothing"; exit 0; }
exec "$here/.venv/bin/python" -I -S "$here/hooks/$1.py" --client cursor --nothing "$nothing" "$@" 2>/dev/null
