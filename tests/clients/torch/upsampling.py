# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Pictures, lines and volumes made larger and smaller, and the gradients."""

import torch.nn.functional as F

from support.table import Case, contiguous, run, sliced

PLACES = {1: (2, 3, 7), 2: (2, 3, 5, 6), 3: (2, 3, 4, 5, 3)}
LARGER = {1: 11, 2: (9, 8), 3: (7, 6, 5)}


def case(mode, dims, how, words, **rest):
    return Case(
        f"F.interpolate(mode='{mode}', {words}) of {dims} dims",
        lambda x: F.interpolate(x, mode=mode, **how),
        PLACES[dims],
        **{"layouts": (contiguous, sliced), "loose": 4, **rest},
    )


CASES = []
for mode, all_dims in (
    ("nearest", (1, 2, 3)),
    ("nearest-exact", (1, 2, 3)),
    ("linear", (1,)),
    ("bilinear", (2,)),
    ("bicubic", (2,)),
    ("trilinear", (3,)),
):
    for dims in all_dims:
        CASES.append(case(mode, dims, {"size": LARGER[dims]}, "size="))
        CASES.append(case(mode, dims, {"scale_factor": 2.0}, "scale_factor=2"))
        if "linear" in mode or mode == "bicubic":
            CASES.append(case(mode, dims, {"size": LARGER[dims], "align_corners": True}, "align_corners=True"))
for mode in ("bilinear", "bicubic"):
    for size in ((3, 4), (9, 8)):
        CASES.append(case(mode, 2, {"size": size, "antialias": True}, f"size={size}, antialias=True"))
run(CASES)
