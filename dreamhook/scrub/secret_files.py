# ruff: noqa: E501 - tables
"""Whole-body rule: what a tool reads from, or writes to, a file that exists to hold secrets is never kept."""

from dreamhook.scrub.rules import compiled

_WORDS = r"[\s;|&<>()\[\]'\"`=@:,]+"
_READS = frozenset(
    "cat head tail less more bat sed awk grep rg cut xxd hexdump strings base64 od nl tac source . openssl type get-content jq yq "
    "diff show log tee cp mv echo printf scp sops ssh-keygen set eval export python python3 node perl ruby vim nano".split()
)
_NAMES = frozenset(
    "credentials .credentials credentials.json .credentials.json .netrc _netrc .pgpass .npmrc .pypirc kubeconfig auth.json "
    ".git-credentials .htpasswd .vault-token application_default_credentials.json secrets.yml secrets.yaml secrets.json "
    "secrets.toml".split()
)
_ENDS = (".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx", ".kubeconfig")
_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_FOLDERS = ("/.aws/", "/.kube/config", "/.gnupg/", "/.docker/config.json", "/gh/hosts.yml")
_EXAMPLES = (".example", ".sample", ".template", ".dist", ".tmpl")
_NOT_FILES = ("process.env", "meta.env")

PATH_KEYS = frozenset(
    "file_path filepath path paths filename file target_file targetfile notebook_path absolute_path relative_path "
    "relative_workspace_path uri".split()
)
COMMAND_KEYS = frozenset("command cmd script commands commandline command_line".split())
_INPUTS = frozenset(
    "tool_input toolinput toolargs tool_args args arguments parameters input params tool_info mcp_tool_arguments file "
    "pretooluse posttooluse".split()
)
BODY_KEYS = frozenset(
    "tool_response tool_output tool_result toolresponse tooloutput toolresult tool_results result output response content contents "
    "edits stdout stderr text new_string old_string newstring oldstring new_str old_str file_text filetext patch "
    "structuredpatch originalfile diff new_source llmcontent returndisplay mcp_result aggregated_output".split()
)


def is_secret_file(path: str) -> bool:
    """`.env.local`, `~/.ssh/id_rsa`, `server.key`; not `.env.example`, `id_rsa.pub`."""
    path = "/" + path.lower().replace("\\", "/")
    base = path.rsplit("/", 1)[1]
    if base.endswith(_EXAMPLES) or base.endswith(_NOT_FILES):
        return False
    if base.startswith(".env") and (base in (".env", ".envrc") or base[4] in ".-_"):
        return True
    if base.endswith(_ENDS) or base.endswith(".env"):
        return not base.startswith(_ENDS) and "*" not in base
    if base.startswith(_KEYS):
        return not base.endswith(".pub")
    return base in _NAMES or any(folder in path for folder in _FOLDERS)


def reads_secret_file(command: str) -> bool:
    """A shell command (or patch) that shows or writes such a file."""
    words = compiled(_WORDS).split(command[:20_000])
    if not any(is_secret_file(word) for word in words if len(word) > 3):
        return False
    return (
        "*** " in command
        or "<" in command
        or ">" in command
        or any(w.rsplit("/", 1)[-1].lower() in _READS for w in words)
    )


def writes_secret_file(command: str) -> bool:
    """The command itself holds the content: a patch, a here-document, a redirection."""
    return ("*** " in command or "<<" in command or ">" in command) and reads_secret_file(command)


def names_secret_file(item: dict[str, object], depth: int = 4) -> bool:
    """Whether this object, or the tool input inside it, is about such a file."""
    for key, value in item.items():
        low = key.lower()
        if low in PATH_KEYS and any(is_secret_file(text) for text in _texts(value)):
            return True
        if low in COMMAND_KEYS and reads_secret_file(" ".join(_texts(value))):
            return True
        if (
            low in _INPUTS
            and depth
            and isinstance(value, dict)
            and names_secret_file(value, depth - 1)
        ):
            return True
    return False


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def leaves(value: object) -> str:
    """All text in a value, end to end: what is hashed and measured in its place."""
    todo, texts = [value], []
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return "".join(texts)
