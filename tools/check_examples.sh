#!/usr/bin/env bash
# Uses an installed envpool_py as the author of a plug-in does, far from the sources: `envpool-py
# new` up to its first step, with the time it takes, and the projects of examples/plugins, which are
# copied, installed by pip and tested.
#
#   tools/check_examples.sh PYTHON DIRECTORY      PYTHON: of an environment with envpool_py
set -euo pipefail
python=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$2"
mkdir -p "$2"
cd "$2"
bin=$(dirname "$python")
export PATH="$bin:$PATH"

# Of processor time: the machine may do other things, too.
"$python" - "$bin/envpool-py" <<'EOS'
import resource
import subprocess
import sys

subprocess.run([sys.argv[1], "new", "my_env"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print(f"from 'envpool-py new' to the first steps: {seconds:.1f} s of processor time", flush=True)
if seconds > 60:
    sys.exit("that is more than a minute")
EOS

# Build requirements are installed here: envpool_py itself is not on the package index.
"$python" -m pip install -q pytest 'setuptools>=70.1' 'scikit-build-core>=0.10' cmake ninja
for project in warehouse lander snake cartpole_simd duel arena; do
  printf '\n==> examples/plugins/%s\n' "$project"
  cp -r "$root/examples/plugins/$project" .
  (
    cd "$project"
    "$python" -m pip install -q --no-build-isolation --no-deps .
    "$python" -m pytest -q -p no:cacheprovider tests
  )
  task=$(sed -nE 's/.*registry\.Add<\w+>\("([^"]+)".*/\1/p' "$project/$project.cc" | head -1)
  # Found by its entry point, without an import.
  "$bin/envpool-py" list "$task" | grep -q "$task"
  "$bin/envpool-py" check "$project" --only states
  "$python" -m pip uninstall -q -y "envpool-example-${project/_/-}"
done
# Without a package: the compiler's line of the README.
cp -r "$root/examples/plugins/snake" by_hand
cd by_hand
cc -O2 -fPIC -c snakelib.c
"$python" -m envpool_py --compile snake.cc -- snakelib.o
"$python" -m pytest -q -p no:cacheprovider -k "rows or walls" tests
echo "The examples are good"
