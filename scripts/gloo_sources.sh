#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Fetches the sources of Gloo that the wheels have in them, by pip and with the checksum in scripts/gloo.txt.
#
#   scripts/gloo_sources.sh FOLDER      where they are to be; BELAY_GLOO_SOURCE of builds is then this folder
set -euo pipefail
[[ $# -eq 1 && $1 != -* ]] || { sed -n '5,7s/^# \{0,1\}//p' "$0"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# pip asks a source distribution what it is, which runs a part of it; before that it compares the checksum.
python3 -m pip download --no-deps --require-hashes --dest "$work" -r "$(dirname "$0")/gloo.txt"
mkdir -p "$1"
tar -xf "$work"/*.tar.gz -C "$1" --strip-components=3 --wildcards '*/third_party/gloo/*'
