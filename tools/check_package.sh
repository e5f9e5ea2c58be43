#!/usr/bin/env bash
# Builds the sdist, a wheel from that sdist in pip's isolated environment, installs the wheel in a
# fresh environment and uses it there, far from the sources: what a user of the package gets.
#
#   tools/check_package.sh PYTHON DIRECTORY
set -euo pipefail
python=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$2"
mkdir -p "$2"
out=$(cd "$2" && pwd)

"$python" -m venv "$out/venv"
pip() { "$out/venv/bin/python" -m pip "$@"; }
pip install -q 'pip>=23.1' build
"$out/venv/bin/python" -m build --sdist --outdir "$out" "$root"
pip wheel --no-deps --wheel-dir "$out" "$out"/envpool_py-*.tar.gz
pip install "$out"/envpool_py-*.whl mypy

cd "$out"
listing=$("$out/venv/bin/python" -m zipfile -l envpool_py-*.whl)
grep -q 'envpool_py/py.typed' <<<"$listing"
# The types of each module, and each family.
for file in "$root"/envpool_py/_{core,atari,mujoco,procgen}.pyi "$root"/envpool_py/tasks/families/*/{manifest,tasks}.py; do
  grep -q "envpool_py/${file#"$root"/envpool_py/}" <<<"$listing"
done
grep -q 'LICENSE' <<<"$listing"
# What a plug-in is built with.
for file in include/envpool.h include/envpool_abi.h include/engine/env/environment.h \
    include/engine/c_interface/build_stamp.h include/engine/physics2d/world.h lib/libenvpool_py.a cmake/envpool_py-config.cmake; do
  grep -q "envpool_py/$file" <<<"$listing"
done
if grep -vE ' ?envpool_py/include/(envpool|envpool_abi|engine/(base|control|env|draw|group|c_interface|tasks|physics2d)/[a-z0-9_]+)\.h ' <<<"$listing" |
    grep -qE 'envpool_py/_(testing|atari_debug)|libcounting_malloc|\.cc|\.h |(tests|benchmarks|tools)/'; then
  echo "the wheel carries what only a build or a test needs:" >&2
  echo "$listing" >&2
  exit 1
fi

"$out/venv/bin/python" - <<'EOS'
import importlib.metadata

import envpool_py
from envpool_py import _atari

assert len(_atari.games()) == 104
assert envpool_py.__version__ == importlib.metadata.version("envpool_py")
with envpool_py.make("CartPole-v1", num_envs=3, seed=1) as envs:
    observations, _ = envs.reset()
    assert observations.shape == (3, 4)
    envs.step(envs.action_space.sample())
print("a wheel built from the sdist steps CartPole")

assert "Ant-v5" in envpool_py.list_all_envs()
try:
    envpool_py.make("Ant-v5")
except envpool_py.errors.MissingPackageError as error:
    assert f"`{envpool_py.errors.install_command('mujoco')}`" in str(error), error
    print(f"without mujoco: {error}")
else:
    raise AssertionError("Ant-v5 was made without the package mujoco")
EOS
wheel=$(ls "$out"/envpool_py-*.whl)
pip install -q "$wheel[mujoco]"
"$out/venv/bin/python" - <<'EOS'
import envpool_py

with envpool_py.make("Ant-v5", num_envs=3, seed=1) as envs:
    observations, _ = envs.reset()
    assert observations.shape == (3, 105)
    assert (envs.step(envs.action_space.sample())[0] != observations).any()
print("with mujoco: it steps Ant")
EOS
"$out/venv/bin/envpool-py" list
cp "$root/tests/plugins/walk.cc" .
"$out/venv/bin/python" -m envpool_py --compile walk.cc
"$out/venv/bin/python" - <<'EOS'
import sys

sys.path.insert(0, ".")
import envpool_py
import walk

with envpool_py.make("Walk-v0", num_envs=3, seed=1) as envs:
    envs.reset()
    envs.step([1, 1, 0])
print(f"a plug-in: {walk.__name__} steps Walk")
EOS
"$root/tools/check_examples.sh" "$out/venv/bin/python" "$out/examples"
cp "$root/tests/typing/user_code.py" .
"$out/venv/bin/mypy" --strict user_code.py
echo "The package is good: $wheel"
