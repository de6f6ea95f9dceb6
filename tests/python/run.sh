#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# run.sh PROGRAM SOURCE BUILD
# Runs a Python test program with the packages of the source tree and the libraries of the build tree.
set -euo pipefail
program=$1 source=$2 build=$3
python=$(sh "$source/tests/python/interpreter.sh")
if [ -z "$python" ]; then
    echo "skipped: there is no python3"
    exit 77
fi
export PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$build/lib64 BELAY_SOURCE=$source BELAY_BUILD=$build
exec "$python" "$program"
