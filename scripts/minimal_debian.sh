#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# A throw-away minimal Debian in a folder, to try what must work where nothing is installed. Needs root, debootstrap
# and this machine's own apt sources; the base system is built once and kept in $HOME/.cache/belay-minimal-debian.
#
#   scripts/minimal_debian.sh make FOLDER
#   scripts/minimal_debian.sh run FOLDER [NAME=VALUE...] COMMAND [ARGUMENT...]
#                                   in an empty environment but for these; FROM::TO instead of NAME=VALUE shows this
#                                   machine's folder FROM as TO in there
#   scripts/minimal_debian.sh remove FOLDER
set -euo pipefail

make_base() {
    local base=$1 uri suite file
    command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap >/dev/null; }
    uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' | head -n 1)
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    rm -rf "$base" && mkdir -p "$base"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$base" "$uri" >"$base.log" 2>&1 ||
        { tail -n 5 "$base.log"; return 1; }
    # Where packages come from is this machine's affair: the sources of its distribution, its index of Python
    # packages, and what it trusts.
    cp -a /etc/apt/sources.list.d/debian.sources "$base/etc/apt/sources.list.d/" 2>/dev/null &&
        rm -f "$base/etc/apt/sources.list"
    for file in /etc/pip.conf /etc/apt/apt.conf.d/99* /usr/local/share/ca-certificates/*; do
        [ -f "$file" ] && mkdir -p "$base${file%/*}" && cp "$file" "$base$file"
    done
    chroot "$base" update-ca-certificates >>"$base.log" 2>&1
    touch "$base.complete"
}

make() {
    local base=$HOME/.cache/belay-minimal-debian/base
    [ -e "$base.complete" ] || make_base "$base"
    [ ! -e "$1" ] || { echo "$1 is there already" >&2; return 1; }
    mkdir -p "$1" && cp -a --reflink=auto "$base/." "$1/"
}

run() {
    local folder=$1 variables=() shown=()
    shift
    while [[ ${1-} == *=* || ${1-} == *::* ]]; do
        if [[ $1 == *::* && $1 != *=* ]]; then shown+=("$1"); else variables+=("$1"); fi
        shift
    done
    mapfile -t -O "${#variables[@]}" variables < <(env | grep -iE '^(https?_proxy|no_proxy)=' || true)
    cp /etc/resolv.conf /etc/hosts "$folder/etc/"
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --pid --fork --kill-child bash -c '
        folder=$1 && shift && mount -t proc proc "$folder/proc" && mount --rbind /dev "$folder/dev" || exit
        while [ "$1" != -- ]; do
            mkdir -p "${1%%::*}" "$folder${1#*::}" && mount --bind "${1%%::*}" "$folder${1#*::}" || exit
            shift
        done
        shift && exec chroot "$folder" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
    ' _ "$folder" ${shown[@]+"${shown[@]}"} -- ${variables[@]+"${variables[@]}"} "$@" </dev/null
}

if [ $# -ge 2 ]; then
    case $1 in
    make) make "$2" && exit ;;
    run)
        run "${@:2}"
        exit
        ;;
    remove) rm -rf --one-file-system "$2" && exit ;;
    esac
fi
sed -n '5,12s/^# \{0,1\}//p' "$0" >&2
exit 2
