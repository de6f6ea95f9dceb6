#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Installs those packages of a list, scripts/packages.txt unless another one is named, that are missing. Does nothing,
# and needs no rights, where all of them are there.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
missing=
for package in $(sed 's/#.*//' "${1:-$here/packages.txt}"); do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "install-packages.sh: apt-get is not here; install by hand what these packages hold:$missing" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-packages.sh: neither root nor sudo; ask an administrator for: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "Installing:$missing"
# The package list may be older than the mirror; without it nothing can be installed on a fresh system.
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split into words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
