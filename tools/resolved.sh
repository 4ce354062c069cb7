#!/bin/sh
# Makes .venv with the lowest or the newest run-time dependencies that the project permits (needs uv).
#   tools/resolved.sh lowest|newest
# It has to be .venv: there functions of a checkout look for their dependencies.
# The tools of the tests are those of the lock; without one that fits, as with newest, they are the newest too.
set -eu

directory=.venv
case $1 in
lowest) flags="--resolution lowest-direct" ;;
newest) flags="--upgrade" ;;
*)
    printf 'RESOLUTION must be lowest or newest, got %s\n' "$1" >&2
    exit 2
    ;;
esac
uv=${UV:-uv}
command -v "$uv" >/dev/null 2>&1 || {
    echo "uv is missing; install it: pip install uv" >&2
    exit 1
}
cd "$(dirname "$0")/.."
tools/venv.sh "$directory" requirements/dev.txt
set --
for name in run cel serve extension preview spiff starlark fleet; do
    set -- "$@" "requirements/$name.in"
done
chosen=$(mktemp)
trap 'rm -f "$chosen"' EXIT
# shellcheck disable=SC2086  # flags are words
"$uv" pip compile --quiet --python "$directory/bin/python" $flags "$@" -o "$chosen"
"$uv" pip install --quiet --python "$directory/bin/python" -r "$chosen"
# What is installed no longer is what the lock says: the next call installs anew.
rm -f "$directory/.made-from"
"$uv" pip list --quiet --python "$directory/bin/python"
