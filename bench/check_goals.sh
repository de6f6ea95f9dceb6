#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# usage: check_goals.sh BENCH FOLDER-OF-THE-WAITING-PEER
# The exit status follows the goals, and a slower peer has a greater ratio.
set -u
bench=$1 peers=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect STATUS WAIT_NS GOAL: with a peer that takes WAIT_NS, a run against this goal ends with STATUS.
expect() {
    echo "throughput leaky_relu fp32 contiguous normal 1K 1 $3" >"$folder/goals"
    BENCH_WAIT_NS=$2 "$bench" --quick --sections throughput --operators leaky_relu --dtypes fp32 --sizes 1K --threads 1 \
        --peers "$peers" --goals "$folder/goals" >"$folder/out" 2>&1
    status=$?
    if [ "$status" -ne "$1" ]; then
        echo "a peer of $2 ns, goal $3: status $status, $1 is expected"
        tail -n 12 "$folder/out"
        failed=1
    fi
}
expect 0 1000000 "torch 20"
expect 1 1000000 "torch 1e9"
expect 1 1 "torch 2"
expect 0 1 "roofline 0"
expect 1 1 "roofline 100"
expect 2 1 "roofline much"
exit $failed
