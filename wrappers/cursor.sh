#!/bin/sh
# What Cursor runs: cursor.sh log_event|inject, one payload on stdin. It must never fail the agent.
here=${0%/*}/..
nothing='{}' # Cursor wants an object even for nothing
if [ "$1" = inject ]; then
    nothing='{"continue":true}'
    set -- "$@" --session-key conversation_id --start-event sessionStart --folder-variable CURSOR_PROJECT_DIR \
        --after-tool postToolUse --nothing-after-tool '{}' --exit-status-key exitCode
fi
[ -x "$here/.venv/bin/python" ] && [ -r "$here/hooks/$1.py" ] || { echo "$nothing"; exit 0; }
exec "$here/.venv/bin/python" -I -S "$here/hooks/$1.py" --client cursor --nothing "$nothing" "$@" 2>/dev/null
