#!/usr/bin/env bash
# Unpacks Debian's packages of another processor or release into a directory, with a Python and a
# compiler, for run.sh beside this. Nothing in it is configured.
#
#   tools/roots/make.sh DIRECTORY PROCESSOR SUITE [PACKAGE...]     such as root aarch64 bookworm
#
# Needed: Debian's package mmdebstrap; for another processor than this machine's, also
# qemu-user-static and binfmt-support.
set -euo pipefail
directory=$1 processor=$2 suite=$3
shift 3
if ! command -v mmdebstrap >/dev/null; then
  echo "roots/make.sh: needs mmdebstrap: apt-get install mmdebstrap" >&2
  exit 1
fi
if [[ $processor != "$(uname -m)" ]] &&
    ! grep -qs enabled "/proc/sys/fs/binfmt_misc/qemu-$processor"; then
  echo "roots/make.sh: this kernel does not run programs for $processor: apt-get install" \
    "qemu-user-static binfmt-support, and mount binfmt_misc" >&2
  exit 1
fi

case $processor in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "roots/make.sh: a processor is x86_64 or aarch64, not $processor" >&2; exit 1 ;;
esac
packages=(bash binutils coreutils dash g++ python3 libpython3-dev sed "$@")
rm -rf "$directory"
mkdir -p "$directory"
# The lists of packages of a release in progress may be out of date.
mmdebstrap --quiet --variant=extract --architectures="$architecture" \
  --aptopt='Acquire::Check-Valid-Until "false"' \
  --include="$(IFS=,; echo "${packages[*]}")" "$suite" "$directory"
# What these packages do when they are configured.
ln -sfn g++ "$directory/usr/bin/c++"
ln -sfn gcc "$directory/usr/bin/cc"
[[ -e $directory/bin/sh ]] || ln -sfn dash "$directory/bin/sh"
