#!/bin/sh
# What Quill runs: quill.sh log_event|inject, one payload on stdin.
here=${0%/*}/..
exec "$here/.venv/bin/python" -I -S "$here/hooks/$1.py" --client quill --nothing '{"margin":[]}' --event-key kind \
    --session-key thread --start-event opened --source-key how --goes-on continued "$@" 2>/dev/null
