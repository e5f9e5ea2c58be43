#!/usr/bin/env bash
# Runs a command in a directory of make.sh beside this: as root there, with the checkout at the path
# that it has here, and in the current directory, which is in the checkout.
#
#   tools/roots/run.sh DIRECTORY COMMAND...
#
# No other program sees what is mounted for it.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ROOT_DIRECTORY=$1 CHECKOUT=$checkout
shift
# A search path of this machine may name directories that are not there.
exec unshare --mount --map-root-user bash -euc '
  mkdir -p "$ROOT_DIRECTORY"/{proc,dev,tmp} "$ROOT_DIRECTORY$CHECKOUT"
  mount --rbind /proc "$ROOT_DIRECTORY/proc"
  mount --rbind /dev "$ROOT_DIRECTORY/dev"
  mount --rbind "$CHECKOUT" "$ROOT_DIRECTORY$CHECKOUT"
  exec chroot "$ROOT_DIRECTORY" /usr/bin/env -C "$PWD" PATH=/usr/bin:/bin "$@"
' run.sh "$@"
