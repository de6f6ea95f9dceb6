#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# triton_missing.sh BISHENG: asked for its targets by a Python, it says what is missing to compile Triton's launchers, and
# what there is all the same. The Python is a shell of this name, with or without headers.
bisheng=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/tools" "$folder/include/python3.77"
cp "$BASH" "$folder/bin/python3.77"
ln -s "$(command -v true)" "$folder/tools/g++"
failed=0

# says WORDS PATH [CC]: the sentence has the words; none where they are empty.
says() {
    local got
    # shellcheck disable=SC2016 # the other shell expands it
    got=$(env ${3+"CC=$3"} PATH="$2" "$folder/bin/python3.77" -c '"$0" -print-targets; :' "$bisheng" 2>"$folder/said")
    case $got in
    *hiipu64*) ;;
    *) echo "it has no target: $got"; failed=1 ;;
    esac
    if [ -z "$1" ] && [ -s "$folder/said" ] || ! grep -qF -- "$1" "$folder/said" && [ -n "$1" ]; then
        echo "it says '$(cat "$folder/said")'; '$1' is expected"
        failed=1
    fi
}

unset CC
says "need the headers of python3.77, and there is no $folder/bin/../include/python3.77/Python.h: install python3.77-dev" \
    "$folder/tools"
touch "$folder/include/python3.77/Python.h"
says "" "$folder/tools"
says "are compiled by a C++ compiler, and there is none: install g++" "$folder/bin"
says "the C++ compiler that CC names, absent-compiler, which cannot be run" "$folder/tools" absent-compiler
says "" "$folder/bin" "$folder/tools/g++"
[ -z "$("$bisheng" -print-targets 2>&1 >/dev/null)" ] || { echo "it speaks to others"; failed=1; }
exit "$failed"
