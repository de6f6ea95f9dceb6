#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Makes everything that a release consists of, from the commit that is checked out: the source distribution, wheels for
# both kinds of processor, Debian packages for this one, the notes, a bill of materials (SPDX) and SHA256SUMS.
#
#   scripts/release.sh FOLDER            a release: its notes, its tag and its binary interface must be in order
#   scripts/release.sh --trial FOLDER    the same files from a commit that is no release
#
# The same commit gives the same bytes, in any folder. Installs what is missing; docs/releasing.md says what comes
# before and after.
set -euo pipefail
trial=
[ "${1-}" != --trial ] || { trial=yes && shift; }
[[ $# -eq 1 && $1 != -* ]] || { sed -n '5,12s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
[ -z "$(ls -A "$folder")" ] || { echo "release.sh: $folder is not empty" >&2; exit 2; }
# What git does not know is in no release, but who releases may believe that it is.
changed=$(git status --porcelain)
[ -z "$changed" ] || { printf 'release.sh: the tree is not clean:\n%s\n' "$changed" >&2; exit 1; }

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/acl/__init__.py)
title=$version
[ -z "$trial" ] || title=Unreleased
notes=$folder/belay-$version.notes.md
awk -v title="## $title" '/^## / {on = $0 == title; next} on' CHANGELOG.md | sed '/./,$!d' >"$notes"
[ -s "$notes" ] || { echo "release.sh: CHANGELOG.md says nothing under '## $title'" >&2; rm "$notes"; exit 1; }
if [ -z "$trial" ]; then
    ! grep -qx '## Unreleased' CHANGELOG.md || { echo "release.sh: CHANGELOG.md still has 'Unreleased'" >&2; exit 1; }
    tagged=$(git rev-parse -q --verify "v$version^{commit}" || true)
    [ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] ||
        { echo "release.sh: v$version is the tag of another commit; is the version in python/acl/__init__.py raised?" >&2; exit 1; }
    scripts/abi.sh --kept
fi
scripts/install-packages.sh scripts/packages-release.txt

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
PIP_CONSTRAINT=$PWD/scripts/release-tools.txt
# Newer versions of pip take those of isolated builds from another variable.
PIP_BUILD_CONSTRAINT=$PIP_CONSTRAINT
BELAY_RELEASE=yes # the names of files are those of the release, in a trial, too
export BELAY_RELEASE SOURCE_DATE_EPOCH PIP_CONSTRAINT PIP_BUILD_CONSTRAINT TZ=UTC LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS BELAY_BUILD_FOLDER BELAY_HOST_COMMAND BELAY_WHEEL_MACHINE
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/belay-$version
mkdir "$tree"
git archive HEAD | tar -x -C "$tree"

# logged NAME COMMAND...: what the command prints is shown where it fails.
logged() {
    printf '%s\n' "$1"
    "${@:2}" >"$work/log" 2>&1 || { tail -n 60 "$work/log"; echo "release.sh: $1 failed" >&2; exit 1; }
}

logged "tools" python3 -m venv "$work/tools"
logged "tools from PyPI" "$work/tools/bin/pip" install build
logged "Gloo's sources" env PATH="$work/tools/bin:$PATH" scripts/gloo_sources.sh "$work/gloo"
logged "source distribution" "$work/tools/bin/python" -m build --sdist --outdir "$work/sdist" "$tree"
# setuptools leaves dates and owners of the files in it.
mkdir "$work/unpacked"
tar -xf "$work/sdist/belay_npu-$version.tar.gz" -C "$work/unpacked"
tar -C "$work/unpacked" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=go=rX,u+rw -cf - "belay_npu-$version" | gzip -9n >"$folder/belay_npu-$version.tar.gz"
# The wheels are made of it, which shows that it has all they need.
here=$(uname -m)
other=x86_64
[ "$here" = aarch64 ] || other=aarch64
for machine in "$here" "$other"; do
    BELAY_GLOO_SOURCE=$work/gloo BELAY_WHEEL_MACHINE=$machine logged "wheel for $machine" \
        "$work/tools/bin/pip" wheel --no-deps --no-cache-dir --wheel-dir "$folder" \
        "$folder/belay_npu-$version.tar.gz"
    [ "$machine" = "$here" ] || continue
    # This one prints the other one's manual pages.
    "$work/tools/bin/python" -m zipfile -e "$folder"/belay_npu-*_"$here".whl "$work/wheel"
    export BELAY_HOST_COMMAND=$work/wheel/belay_npu/latest/bin/belay
    chmod +x "$BELAY_HOST_COMMAND"
done
cat >"$tree/debian/changelog" <<END
belay ($version) unstable; urgency=medium

  * Version $version: CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" logged "Debian packages" env -C "$tree" dpkg-buildpackage --build=binary --no-sign
cp "$work"/*.deb "$folder"

scripts/bill_of_materials.py "$folder" "$version" "$SOURCE_DATE_EPOCH" >"$folder/belay-$version.spdx.json"
(cd "$folder" && sha256sum -- *.tar.gz *.whl *.deb *.json *.md >SHA256SUMS && cat SHA256SUMS)
