#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes a header with a hash for each operator: of the code of its kernels on every level and of the library
# that judges them.
#
#   fingerprints.sh HEADER JUDGE OBJECT...
set -eu
header=$1
shift
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
# Without what a comment changes: the lines of the source.
for file; do
    objcopy --enable-deterministic-archives --strip-debug "$file" "$code/$(echo "$file" | tr / _)"
done
judge=$code/$(echo "$1" | tr / _)
shift
{
    echo '/* SPDX-License-Identifier: Apache-2.0 */'
    echo '/* Made by tests/numerics/fingerprints.sh. */'
    echo 'static const struct {'
    echo '    const char *stem;'
    echo '    unsigned long long hash;'
    echo '} fingerprints[] = {'
    for stem in $(for object; do basename "$object" .c.o; done | sort -u); do
        hash=$(cat "$judge" "$code"/*_"$stem".c.o | sha256sum | cut -c 1-16)
        echo "    {\"$stem\", 0x$hash},"
    done
    echo '};'
} >"$header"
