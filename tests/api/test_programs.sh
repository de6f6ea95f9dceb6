#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Each program that scripts/test.sh finds in a build's tests is a target of ninja. Of the sanitizers' builds it has ninja make
# these alone, so that one that is no target fails the build, and of tests that need an emulator on few machines only.
#   test_programs.sh TEST_SCRIPT BUILD NINJA
set -euo pipefail
script=$1 build=$2 ninja=$3
eval "$(sed -n '/^programs() {$/,/^}$/p' "$script")"
found=$(programs "$build" .)
unknown=$(comm -23 <(echo "$found") <("$ninja" -C "$build" -t targets all | sed -n 's/: [^ ]*$//p' | sort -u))
count=$(wc -l <<<"$found")
if [ "$count" -lt 100 ]; then
    echo "only $count programs were found in the tests of $build" >&2
    exit 1
fi
if [ -n "$unknown" ]; then
    printf 'scripts/test.sh would build these, which are no targets of %s:\n%s\n' "$build" "$unknown" >&2
    exit 1
fi
echo "$count programs of tests are targets"
