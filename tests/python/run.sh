#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# run.sh PROGRAM SOURCE BUILD
# Runs a Python test program with the packages of the source tree and the libraries of the build tree.
set -euo pipefail
program=$1 source=$2 build=$3

# The python3 that PATH names may be another one than the system's, which NumPy is installed for.
chosen=
for python in python3 /usr/bin/python3; do
    command -v $python >/dev/null || continue
    chosen=${chosen:-$python}
    if $python -c 'import numpy' 2>/dev/null; then
        chosen=$python
        break
    fi
done
if [ -z "$chosen" ]; then
    echo "skipped: there is no python3"
    exit 77
fi
export PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$build/lib64 BELAY_SOURCE=$source BELAY_BUILD=$build
exec "$chosen" "$program"
