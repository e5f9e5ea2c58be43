#!/usr/bin/env bash
# Prints an interpreter of the first of these versions of Python that is installed; nothing if none is.
# It is `python<version>` in PATH, of pyenv, or of the images of the manylinux project. A version that
# ends in t is free-threaded: 3.13t is built without a GIL, and 3.13 is not.
#
#   tools/find_python.sh VERSION...
set -euo pipefail

for version in "$@"; do
  number=${version%t}
  threads=${version#"$number"}
  tag=cp${number/./}
  for candidate in "$(command -v "python$version" || true)" \
      "${PYENV_ROOT:-$HOME/.pyenv}/versions/$number".*"$threads"/bin/python \
      "/opt/python/$tag-$tag$threads/bin/python"; do
    # A shim of pyenv is there for versions that are not selected, too.
    if [[ -x $candidate ]] && "$candidate" -c "import sys, sysconfig
found = '%d.%d' % sys.version_info[:2]
if sysconfig.get_config_var('Py_GIL_DISABLED'):
    found += 't'
sys.exit(found != '$version')" 2>/dev/null; then
      echo "$candidate"
      exit
    fi
  done
done
