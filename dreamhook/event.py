"""The normalised event: what happened, the same for every harness.

A harness module turns one payload into one Event; the drain adds what only capture knows (`event_id`,
`timestamp`) and stores it. All values are what a Neo4j property can hold: text, numbers, booleans.
"""

from typing import Literal, TypedDict

EVENT_NAMES = frozenset(
    # One harness's own names (2.1.332, see dreamhook/harness); the others are mapped onto them.
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion "
    "SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch "
    "PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation "
    "ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged "
    "DirectoryAdded MessageDisplay PreSkillShellCommand "
    # What that harness has no name for.
    "AssistantMessage AssistantThought Interrupt Other".split()
)
"""Each is also the node's second label, so the set is closed."""


class Event(TypedDict, total=False):
    """One thing that happened in a session. Missing means the harness did not say."""

    # always there after normalising
    client: str
    session_id: str
    """The harness's id; a subagent's is `<parent>/<agent id>`, so that it has its own list."""
    event_name: str
    """One of EVENT_NAMES."""
    client_event: str
    """The harness's own name for it."""

    # where
    cwd: str
    parent_session_id: str
    agent_id: str
    agent_type: str
    turn_id: str
    model: str
    permission_mode: str

    # what
    source: str
    """SessionStart: startup, resume, clear, compact or fork. UserPromptSubmit: who typed it, if not a person."""
    reason: str
    """SessionEnd: why."""
    trigger: str
    """PreCompact, PostCompact: manual or auto."""
    prompt: str
    assistant_text: str
    """The final answer, a message or a thought."""
    tool_name: str
    tool_use_id: str
    tool_input: str
    """Text, or JSON where the harness gave a structure."""
    tool_response: str
    """As tool_input."""
    error: str
    exit_status: int
    failed: bool
    """A tool that did not do what it was asked."""
    duration_ms: float
    status: str
    """Stop, SubagentStop: completed, aborted or error."""
    message: str
    """Notification text, compaction summary, task of a subagent."""
    details: str
    """JSON of what has no property of its own."""

    # added by capture
    event_id: str
    timestamp: str
    """ISO 8601, UTC, when the hook had read its payload."""


InjectPoint = Literal["start", "prompt", "failure", "tool", "subagent"]
"""Where a harness takes context: at the start of a session, with a prompt, after a tool that failed, after one that
worked (what the session should have been told by then), or at the start of a subagent."""
