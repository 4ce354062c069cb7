#!/bin/sh
# Makes a virtual environment from a lock file, or leaves it alone when it is already that one.
#   tools/venv.sh DIR LOCK
# DIR is rebuilt when the lock file, the interpreter or the place has changed. Nothing but python3 >= 3.11 with venv is needed;
# what is missing is named. PYTHON=... chooses the interpreter.
set -eu

directory=$1
lock=$2

say() { printf '%s\n' "$*" >&2; }

real_interpreter() {  # the path behind a version manager's shim or an activated environment; nothing when too old
    "$1" -I -c '
import sys
print(getattr(sys, "_base_executable", sys.executable) if sys.version_info >= (3, 11) else "")
' 2>/dev/null </dev/null || true
}

python=
seen=
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    seen="$seen $candidate"
    python=$(real_interpreter "$candidate")
    [ -z "$python" ] || break
done
if [ -z "$python" ]; then
    if [ -z "$seen" ]; then
        say "python3 is missing. Install Python 3.11 or newer with its venv module, on Debian or Ubuntu: apt-get install python3 python3-venv"
    else
        say "Python 3.11 or newer is needed; found only an older one:$seen. Install a newer Python, or name it: make PYTHON=/path/to/python3.12 ..."
    fi
    exit 1
fi
if ! "$python" -I -c 'import venv, ensurepip' >/dev/null 2>&1; then
    minor=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    say "$python has no venv module. Install it, on Debian or Ubuntu: apt-get install python3-venv (or python$minor-venv)"
    exit 1
fi

root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
key=$("$python" -I - "$lock" "$python" "$root" <<'PY'
import hashlib
import sys

lock, interpreter, root = sys.argv[1:]
with open(lock, "rb") as stream:
    print(hashlib.sha256(b"\0".join([stream.read(), interpreter.encode(), sys.version.encode(), root.encode()])).hexdigest())
PY
)
stamp="$directory/.made-from"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ]; then
    exit 0
fi
say "Making $directory from $lock with Python $("$python" -I -c 'import platform; print(platform.python_version())') ..."
"$python" -m venv --clear "$directory"
"$directory/bin/python" -m pip --disable-pip-version-check --no-input install -qq --require-hashes --only-binary :all: -r "$lock"
# The sources are found without an environment variable, also by an editor that is pointed at this interpreter.
"$directory/bin/python" -I -c '
import pathlib, sysconfig, sys
pathlib.Path(sysconfig.get_path("purelib"), "krmkit-sources.pth").write_text(sys.argv[1] + "\n", encoding="utf-8")
' "$root/shared"
printf '%s\n' "$key" >"$stamp"
