#!/usr/bin/env bash
# Uses a wheel in a fresh environment, far from the sources: steps tasks, builds and steps a plug-in
# with this machine's compiler, and the projects of examples/plugins.
#
#   tools/wheels/use.sh WHEEL PYTHON DIRECTORY
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheel=$1 interpreter=$2 out=$3
printf '\n==> %s in a fresh environment\n' "$(basename "$wheel")"
rm -rf "$out"
mkdir -p "$out/use"
"$interpreter" -m venv "$out/venv"
"$out/venv/bin/python" -m pip install -q "$wheel"
cp "$root/tests/plugins/walk.cc" "$root/tools/wheels/steps.py" "$out/use"
cd "$out/use"
"$out/venv/bin/python" -m envpool_py --compile walk.cc
"$out/venv/bin/python" steps.py
"$out/venv/bin/envpool-py" list CartPole
"$root/tools/check_examples.sh" "$out/venv/bin/python" "$out/examples"
