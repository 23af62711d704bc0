#!/bin/sh
# Make .venv hold exactly what requirements.lock says, and this project in editable form.
# Called by the Makefile, which knows when it is needed. Uses uv if it is there and works,
# else python3 -m venv and pip. Prints one line; the rest goes to a log shown upon failure.
set -eu
cd "$(dirname "$0")/.."
log=.set_up.log
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

fail() {
    echo "manyhands: $1" >&2
    exit 1
}

find_python() {
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c "$new_enough" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo "no python3")
    fail "needs Python 3.11 or later on PATH (found: $found); name one with PYTHON=..."
}

with_uv() {
    command -v uv >/dev/null || return 1
    uv venv --quiet --allow-existing --python "$python" .venv &&
        uv pip install --quiet --python .venv/bin/python -r requirements.lock &&
        uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation -e .
}

with_pip() {
    "$python" -m venv .venv &&
        .venv/bin/python -m pip install --disable-pip-version-check -r requirements.lock &&
        .venv/bin/python -m pip install --disable-pip-version-check \
            --no-deps --no-build-isolation -e .
}

python=$(find_python)
if [ -e .venv ] && ! .venv/bin/python -c "$new_enough" >/dev/null 2>&1; then
    rm -rf .venv  # made by a Python that has gone
fi
printf 'Setting up .venv (the first time takes about a minute) ... ' >&2
if with_uv >"$log" 2>&1 || with_pip >>"$log" 2>&1; then
    rm -f "$log"
    echo "done." >&2
else
    echo "failed." >&2
    tail -n 30 "$log" >&2
    fail "set-up failed; the whole log is in $log (on Debian, python3-venv may be missing)"
fi
