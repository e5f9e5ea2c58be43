#!/usr/bin/env bash
# Prints an interpreter of the first of these versions of Python that is installed; nothing if none is.
# It is `python<version>` in PATH, of pyenv, or of the images of the manylinux project.
#
#   tools/find_python.sh VERSION...
set -euo pipefail

for version in "$@"; do
  for candidate in "$(command -v "python$version" || true)" \
      "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python \
      /opt/python/cp"${version/./}"-*/bin/python; do
    # A shim of pyenv is there for versions that are not selected, too.
    if [[ -x $candidate ]] && "$candidate" -c "import sys
sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; then
      echo "$candidate"
      exit
    fi
  done
done
