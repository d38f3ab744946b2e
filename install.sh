#!/bin/sh
# Sets dreamhook up for this user: ./install.sh, see --help. Everything it makes it can take out: --uninstall.
set -eu

say() { printf 'install.sh: %s\n' "$*" >&2; }

real_python() { # the path of a usable interpreter itself: a pyenv shim depends on the folder it is called from
    for name in python3.13 python3.12 python3.11 python3; do
        "$name" -I -c 'import os, sys
sys.version_info >= (3, 11) or sys.exit(1)
print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))' 2>/dev/null && return
    done
    say "no Python 3.11 or newer found on PATH; install one and run this again"
    return 1
}

make_venv() { # with the interpreter $1
    python=$1
    if ! "$python" -I -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        say "$python lacks its venv module; on Debian or Ubuntu: sudo apt install python$version-venv"
        return 1
    fi
    say "making $here/.venv with $python"
    "$python" -I -m venv --clear "$here/.venv"
}

prepare() { # .venv with the project and its dependencies; nothing to do while pyproject.toml and the folder stay the same
    case $(cat "$here/.venv/dreamhook-installed" 2>/dev/null) in
        *'[semantic]') extra='[semantic]' ;; # asked for once, kept up to date from then on
    esac
    stamp="$(cksum <"$here/pyproject.toml") $here$extra"
    if [ "$(cat "$here/.venv/dreamhook-installed" 2>/dev/null)" = "$stamp" ] && "$venv" -c '' 2>/dev/null; then
        return
    fi
    # a folder that was moved has programs in .venv/bin that point to where it was
    if ! "$venv" -I -c '' 2>/dev/null || ! head -n 3 "$here/.venv/bin/pip" 2>/dev/null | grep -qF "$here/.venv/"; then
        python=$(real_python)
        make_venv "$python"
    fi
    say "installing Python packages into $here/.venv (once, about a minute)"
    # as variables, so that the pip which pip starts to build the package takes them too
    if ! PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 "$venv" -m pip install --quiet -e "$here$extra" >&2; then
        say "pip could not install the packages (its reason is above); nothing outside $here was changed, run this again"
        return 1
    fi
    "$venv" -m compileall -q "$here/dreamhook" "$here/hooks" "$here/dream" "$here/cypher"
    printf '%s\n' "$stamp" >"$here/.venv/dreamhook-installed"
}

main() {
    here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
    venv=$here/.venv/bin/python
    if ! [ -f "$here/pyproject.toml" ] || ! [ -d "$here/wrappers" ]; then
        say "run it from a clone of the repository: ./install.sh"
        return 1
    fi
    consent='' light='' extra=''
    for option; do
        case $option in
            --yes) consent=1 ;;
            --semantic) extra='[semantic]' ;;
            --dry-run | --uninstall | --help | -h) light=1 ;;
        esac
    done
    if [ -n "$light" ]; then # needs no packages, so nothing is prepared for it
        python=$venv
        "$venv" -c '' 2>/dev/null || python=$(real_python)
        PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 exec "$python" -P -m dreamhook.install "$@"
    fi
    if [ -z "$consent" ] && ! [ -t 0 ]; then
        say "nothing was changed: there is no terminal to ask on. To agree to what dreamhook records, run: $0 --yes"
        return 1
    fi
    prepare
    exec "$venv" -P -m dreamhook.install "$@"
}

main "$@"
