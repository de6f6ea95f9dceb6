#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# release.sh SOURCE
# What scripts/release.sh refuses before it makes anything; scripts/test_artefacts.sh tries what it makes.
set -euo pipefail
source=$1
git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "skipped: not a clone with git"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
# What release.sh looks at before it starts, in a repository of its own.
mkdir -p "$work/tree/scripts" "$work/tree/python/acl"
cd "$work/tree"
git init -q .
cp "$source/scripts/release.sh" scripts
cp "$source/python/acl/__init__.py" python/acl
printf '#!/bin/sh\necho "the interface is asked for" >&2\nexit 3\n' >scripts/abi.sh
chmod +x scripts/abi.sh
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/acl/__init__.py)

# changelog TITLE...: sections with these titles, and a commit.
changelog() {
    printf '# Changelog\n\n' >CHANGELOG.md
    printf '## %s\n\n- A line.\n\n' "$@" >>CHANGELOG.md
    git add -A
    git commit -q --allow-empty -m "$*"
}
# refuses SENTENCE ARGUMENT...: the command fails, and says this.
refuses() {
    if scripts/release.sh "${@:2}" >"$work/output" 2>&1 || ! grep -qF "$1" "$work/output"; then
        echo "release.sh ${*:2} prints"
        cat "$work/output"
        echo "and not: $1"
        exit 1
    fi
    rm -rf "$work/out"
}

changelog "$version" 0.0.1
refuses "scripts/release.sh FOLDER"
refuses "is not empty" "$work"
touch unknown
refuses "the tree is not clean" "$work/out"
refuses "the tree is not clean" --trial "$work/out"
rm unknown
echo >>CHANGELOG.md
refuses "the tree is not clean" "$work/out"
git checkout -q CHANGELOG.md
refuses "the interface is asked for" "$work/out"
refuses "says nothing under '## Unreleased'" --trial "$work/out"
git tag "v$version"
refuses "the interface is asked for" "$work/out"
changelog "$version" 0.0.1
refuses "v$version is the tag of another commit" "$work/out"
changelog Unreleased 0.0.1
refuses "says nothing under '## $version'" "$work/out"
changelog Unreleased "$version"
refuses "CHANGELOG.md still has 'Unreleased'" "$work/out"
echo "every refusal is there"
