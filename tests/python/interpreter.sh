#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Prints the Python to test with: the first that has NumPy, as the python3 that PATH names may be another one than the
# system's, which NumPy is installed for. Where none has NumPy, the first; nothing where there is none.
chosen=
for python in python3 /usr/bin/python3; do
    command -v $python >/dev/null || continue
    chosen=${chosen:-$python}
    if $python -c 'import numpy' 2>/dev/null; then
        chosen=$python
        break
    fi
done
echo "$chosen"
