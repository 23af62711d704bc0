#!/bin/sh
# Write requirements.lock: install what pyproject.toml names into a fresh environment, list it.
set -eu
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"${PYTHON:-python3}" -m venv "$fresh"
names=$("$fresh/bin/python" -c '
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*project["dependencies"], *project["optional-dependencies"]["dev"])')
# shellcheck disable=SC2086  # one word per package is meant
"$fresh/bin/python" -m pip install --quiet --upgrade $names
head -n 2 requirements.lock >"$fresh/lock"
"$fresh/bin/python" -m pip freeze --all --exclude pip >>"$fresh/lock"
cp "$fresh/lock" requirements.lock
