#!/bin/sh
# Sets up what the tests need, from a clean checkout, and runs pytest with the other arguments given.
#   tests/run.sh            everything; needs Python 3.11+, git and npm
#   tests/run.sh --unit     the tests without store, harnesses and model, in less than a minute
#   tests/run.sh --search   their property tests on many random inputs, for as many minutes as it takes
# Run again, it only installs what has changed.
set -eu
cd "$(dirname "$0")/.."

what=all
case "${1:-}" in
--unit | --search)
    what=${1#--}
    shift
    ;;
esac

say() { echo "tests/run.sh: $*" >&2; }

find_python() { # the newest usable interpreter by its real path: a pyenv shim depends on the folder it is called from
    for name in python3.13 python3.12 python3.11 python3; do
        "$name" -c 'import sys, venv; sys.version_info >= (3, 11) or sys.exit(1); print(sys.executable)' 2>/dev/null && return
    done
    say "no Python 3.11 or newer found; install one (with its venv module) and run again"
    return 1
}

if ! .venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python)
    say "making .venv with $python"
    "$python" -m venv --clear .venv
fi

install() { # EXTRAS STAMP: unless this pyproject.toml was installed with them before
    if ! cmp -s pyproject.toml ".venv/$2"; then
        say "installing the project and what its tests need into .venv"
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".[$1]"
        cp pyproject.toml ".venv/$2"
    fi
}

run() {
    say "running pytest"
    exec .venv/bin/python -m pytest "$@"
}

if [ $what != all ]; then
    cmp -s pyproject.toml .venv/tested-pyproject.toml || install test unit-pyproject.toml
    if [ $what = search ]; then
        run --hypothesis-profile=search -m hypothesis tests/unit "$@"
    fi
    run -n 2 --dist loadfile tests/unit "$@"
fi

install test,semantic tested-pyproject.toml
harnesses=$PWD/.cache/harness
without_harnesses() {
    if [ -n "${CI:-}" ]; then
        say "$1; CI may not skip the tests on real harnesses"
        exit 1
    fi
    say "$1: the tests on real harnesses (marker: harness) will be skipped"
}
if cmp -s tests/lab/package-lock.json "$harnesses/installed-lock.json"; then
    :
elif ! command -v npm >/dev/null; then
    without_harnesses "npm is not installed"
else
    say "installing Claude Code and Codex at the tested versions into .cache/harness (about 800 MB)"
    mkdir -p "$harnesses"
    cp tests/lab/package.json tests/lab/package-lock.json "$harnesses/"
    if (cd "$harnesses" && npm ci --no-audit --no-fund --loglevel=error >&2); then
        cp tests/lab/package-lock.json "$harnesses/installed-lock.json"
    else
        without_harnesses "npm could not install them"
    fi
fi

export DREAMHOOK_TEST_CLIS="$harnesses"
run "$@"
