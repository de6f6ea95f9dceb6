#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The same bits on AArch64: builds libraries and tests for it in build-aarch64/ with the cross compiler, and runs tests
# that compare digests with those of x86-64 under an emulator, with one thread and with three.
#
#   scripts/aarch64.sh                        what PROGRAMS names, of which ops_recorded calls every function
#   scripts/aarch64.sh ops_recorded aclnnMm   one test's program, with its words
#
# It wants gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user. What the tests link comes from Debian's packages
# for arm64, which are unpacked below build-aarch64/ and not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
PROGRAMS="numerics_maths_bits ops_contraction_pairs ops_order_of_pairs ops_recorded"
build=$PWD/build-aarch64
system=$build/system
if [ ! -e "$system/usr" ]; then
    mkdir -p "$system"/{lists,cache/archives}/partial
    apt() {
        apt-get -qq -o APT::Architectures::=arm64 -o Dir::State::lists="$system/lists" \
            -o Dir::Cache="$system/cache" "$@"
    }
    apt update
    (cd "$system" && apt download lib{cmocka0,cmocka-dev,mpfr6,mpfr-dev,gmp10,gmp-dev,xxhash0,xxhash-dev}:arm64)
    for package in "$system"/*.deb; do dpkg -x "$package" "$system"; done
fi
include=$system/usr/include
cmake -S . -B "$build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DBELAY_TESTS=ON -DBELAY_GLOO=OFF \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DCMAKE_{C,CXX}_FLAGS="-isystem $include -isystem $include/aarch64-linux-gnu" \
    -DCMAKE_FIND_ROOT_PATH="$system" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY >/dev/null
run() {
    ninja -C "$build" "test_$1" >"$build/build.log" 2>&1 || { tail -n 40 "$build/build.log"; exit 1; }
    qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$system/usr/lib/aarch64-linux-gnu" \
        "$build/bin/test_$1" "${@:2}"
}
if [ $# -gt 0 ]; then
    run "$@"
    exit
fi
for program in $PROGRAMS; do
    for threads in 1 3; do
        echo "$program, $threads threads"
        BELAY_THREADS=$threads run "$program"
    done
done
