#!/usr/bin/env bash
# Uses a wheel in a fresh environment, far from the sources: steps tasks, builds and steps a plug-in
# with this machine's compiler, and the projects of examples/plugins.
#
#   tools/wheels/use.sh WHEEL PYTHON PIP_PYTHON DIRECTORY
#
# PIP_PYTHON installs pip first: some systems' interpreters come without.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheel=$1 interpreter=$2 pip_python=$3 out=$4
printf '\n==> %s in a fresh environment\n' "$(basename "$wheel")"
rm -rf "$out"
mkdir -p "$out/use"
"$interpreter" -m venv --without-pip "$out/venv"
"$pip_python" -m pip --python "$out/venv/bin/python" install -q pip
"$out/venv/bin/python" -m pip install -q "$wheel"
cp "$root/tests/plugins/walk.cc" "$root/tools/wheels/steps.py" "$out/use"
cd "$out/use"
"$out/venv/bin/python" -m envpool_py --compile walk.cc
"$out/venv/bin/python" steps.py
"$out/venv/bin/envpool-py" list CartPole
"$root/tools/check_examples.sh" "$out/venv/bin/python" "$out/examples"
