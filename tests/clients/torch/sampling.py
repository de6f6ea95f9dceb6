# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Pictures and volumes at the places of a grid, grids of matrices, and the gradients."""

import torch.nn.functional as F

from support.table import SINGLE, Case, between, contiguous, run, sliced

PICTURES, PLACES = (2, 3, 5, 6), between(-1.3, 1.3, 2, 4, 3, 2)
VOLUMES, PLACES_3D = (2, 2, 4, 5, 3), between(-1.3, 1.3, 2, 2, 4, 3, 3)
LAYOUTS = {"layouts": (contiguous, sliced), "loose": 8}


def case(mode, padding, aligns, shape, places, **rest):
    return Case(
        f"F.grid_sample(mode='{mode}', padding_mode='{padding}', align_corners={aligns}) of {len(shape) - 2} dims",
        lambda x, grid: F.grid_sample(x, grid, mode, padding, aligns),
        shape,
        places,
        **LAYOUTS,
        **rest,
    )


CASES = []
for padding in ("zeros", "border", "reflection"):
    for aligns in (False, True):
        for mode in ("bilinear", "nearest", "bicubic"):
            CASES.append(case(mode, padding, aligns, PICTURES, PLACES, dtypes=SINGLE))
        for mode in ("bilinear", "nearest"):
            CASES.append(case(mode, padding, aligns, VOLUMES, PLACES_3D, dtypes=SINGLE))
for aligns in (False, True):
    words = f"align_corners={aligns}"
    for size, shape, gives in (((2, 3, 4, 5), (2, 2, 3), True), ((2, 3, 4, 5, 2), (2, 3, 4), False)):
        CASES.append(
            Case(
                f"F.affine_grid({words}) of {len(size) - 2} dims",
                lambda t, s=size, a=aligns: F.affine_grid(t, s, a),
                shape,
                grad=gives,
                **LAYOUTS,
            )
        )
run(CASES)
