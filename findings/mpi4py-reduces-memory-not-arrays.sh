#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpi4py takes NumPy arrays and refuses a slice with a step: "buffer is not contiguous". So one
# trusts it to tell when an array's order does not fit. A transposed array is contiguous in its own
# way and passes, and its memory is taken as it lies: Allreduce of the transpose of a 2 x 3 array
# into a new one of 3 x 2 gives the sums in the order that they had before transposing, each at a
# wrong place. A rank whose array is in Fortran's order and one whose equal array is in C's add up
# elements that do not belong together. Lower-case allreduce, which pickles, is right. Seen with
# mpi4py 4.1.2, mpich 5.0.2 and numpy 2.4.6; np.ascontiguousarray mends it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 mpi4py==4.1.2 mpich==5.0.2
cd "$folder"
cat >ranks.py <<'PROGRAM'
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
array = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def summed(mine):
    result = np.zeros(mine.shape, np.float32)
    world.Allreduce(mine, result, MPI.SUM)
    return result.tolist()


transposed = summed(array.T)
mended = summed(np.ascontiguousarray(array.T))
mixed = summed(np.asfortranarray(array) if world.rank else array)
pickled = world.allreduce(np.asfortranarray(array) if world.rank else array, MPI.SUM).tolist()
try:
    summed(array.reshape(-1)[::2])
    stepped = "taken"
except BufferError as error:
    stepped = str(error)
if world.rank == 0:
    print("two transposes:", transposed, "should be", mended)
    print("equal arrays in C's and Fortran's order:", mixed, "should be", pickled)
    print("a slice with a step:", stepped, flush=True)
    assert mended == (2 * array.T).tolist() and pickled == (2 * array).tolist()
    assert transposed == [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]], transposed
    assert mixed == [[2.0, 6.0, 5.0], [9.0, 8.0, 12.0]], mixed
    assert "not contiguous" in stepped, stepped
PROGRAM
"$folder/venv/bin/mpiexec" -n 2 "$folder/venv/bin/python" ranks.py
