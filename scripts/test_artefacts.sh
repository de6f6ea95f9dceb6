#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Tries what scripts/release.sh made, in a minimal Debian of its own (debootstrap, chroot) that holds nothing of this
# tree but the tests: the wheels by pip, the packages by apt, programs on both, and that removing them leaves nothing.
# The steps are those of tests/install/artefacts.sh. Needs root, the network, and 2 GB in BELAY_MINIMAL_DEBIAN
# ($HOME/.cache/belay-minimal-debian), where the minimal system is kept for the next time.
#
#   scripts/test_artefacts.sh FOLDER             what is in this folder
#   scripts/test_artefacts.sh --torch FOLDER     PyTorch with its torch_npu too: 8 GB more
#   BELAY_SAMPLES=DOCUMENTS                      documents whose sample programs are built and run (../shared/seeds)
set -euo pipefail
torch=
[ "${1-}" != --torch ] || { torch=torch && shift; }
[[ $# -eq 1 && -e $1/SHA256SUMS ]] || { sed -n '5,12s/^# \{0,1\}//p' "$0"; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "test_artefacts.sh: only root may change the root folder" >&2; exit 2; }
artefacts=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
scripts/install-packages.sh scripts/packages-release.txt
samples=${BELAY_SAMPLES-../shared/seeds}
# shellcheck disable=SC1091 # every system has it
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
cache=${BELAY_MINIMAL_DEBIAN-$HOME/.cache/belay-minimal-debian}/$suite
if [ ! -e "$cache/complete" ]; then
    echo "making a minimal Debian ($suite)"
    rm -rf "$cache"
    mkdir -p "$cache"
    # Debian's own sources come first among those of apt, in either form.
    mirror=$(find /etc/apt \( -name '*.list' -o -name '*.sources' \) -print0 | sort -z |
        xargs -0 sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | sed -n 1p)
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$cache/system" "$mirror" >"$cache/log" 2>&1 ||
        { tail -n 5 "$cache/log"; exit 1; }
    touch "$cache/complete"
fi

run=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf --one-file-system "$run"' EXIT
cp -a --reflink=auto "$cache/system/." "$run/"
# The way to the network is this machine's: its names, its certificates, its mirrors.
cp /etc/resolv.conf /etc/hosts "$run/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$run/etc/ssl/certs/"
cp /etc/apt/apt.conf.d/99* "$run/etc/apt/apt.conf.d/" 2>/dev/null || true
mkdir "$run/given"
cp -a "$artefacts" "$run/given/artefacts"
cp tests/install/artefacts.sh debian/tests/smoke tests/programs/run_samples.sh "$run/given/"
[ ! -d "$samples" ] || cp -rL "$samples" "$run/given/samples"
mapfile -t passed < <(env | grep -E '^([hH][tT][tT][pP][sS]?_[pP][rR][oO][xX][yY]|[nN][oO]_[pP][rR][oO][xX][yY]|PIP_(CERT|INDEX_URL|DEFAULT_TIMEOUT))=')
# Its own processes and mounts, which end with it.
# shellcheck disable=SC2016 # the inner shell expands
unshare --mount --pid --fork --kill-child bash -ec '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
' _ "$run" ${passed[@]+"${passed[@]}"} bash /given/artefacts.sh $torch </dev/null
