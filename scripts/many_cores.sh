#!/usr/bin/env bash
# Installs the package into .venv-machine, and measures what this machine makes of it, in nine
# minutes: see benchmarks/many_cores.py.
#
#   scripts/many_cores.sh [DIRECTORY] [--minutes 9] [--only PART]...
#
# DIRECTORY gets the results (results-<name of the machine>). WHEELS=DIR: take all packages from
# that folder, without a network; `make wheels` and `pip download` fill it. Without: the package is
# compiled here, which takes minutes of its own. EXTRAS=bench,jax,torch: what to install beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="results-$(uname -n)"
if [[ $# -gt 0 && $1 != -* ]]; then
  out=$1
  shift
fi
mkdir -p "$out"
out=$(realpath "$out")
python=${PYTHON:-python3}
extras=${EXTRAS:-bench}
test -x .venv-machine/bin/python || "$python" -m venv .venv-machine
pip=("$PWD/.venv-machine/bin/python" -m pip --disable-pip-version-check install)
if [[ -n ${WHEELS:-} ]]; then
  "${pip[@]}" --no-index --find-links "$WHEELS" "envpool_py[$extras]"
else
  "${pip[@]}" -v ".[$extras]"
fi
# In a directory without the sources of the package, which would be imported in place of what is
# installed.
mkdir -p build/machine
ln -sfn ../../benchmarks build/machine/benchmarks
cd build/machine
exec ../../.venv-machine/bin/python -m benchmarks.many_cores --out "$out" "$@"
