# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Pooling, sampling up, and their gradients."""

import torch.nn.functional as F

from support.table import Case, contiguous, distinct, run, sliced, transposed, whole

PLANES, VOLUMES = (2, 3, 8, 9), (2, 3, 4, 5, 6)
CASES = [
    Case("F.max_pool1d", lambda x: F.max_pool1d(x, 3, 2), distinct(2, 3, 9)),
    Case("F.max_pool2d", lambda x: F.max_pool2d(x, 2), distinct(1, 3, 8, 9)),
    Case("F.max_pool2d(stride=, padding=)", lambda x: F.max_pool2d(x, 3, 2, 1), distinct(1, 3, 8, 9)),
    Case("F.max_pool2d(ceil_mode=True)", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), distinct(1, 3, 8, 9)),
    Case("F.avg_pool1d", lambda x: F.avg_pool1d(x, 3, 2), (2, 3, 9)),
    Case("F.avg_pool2d", lambda x: F.avg_pool2d(x, 2), PLANES),
    Case("F.avg_pool2d(stride=, padding=)", lambda x: F.avg_pool2d(x, 3, 2, 1), PLANES),
    Case("F.avg_pool2d(count_include_pad=False)", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), PLANES),
    Case("F.avg_pool2d(ceil_mode=True)", lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), PLANES),
    Case("F.adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 4), (2, 3, 9)),
    Case("F.adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), PLANES),
    Case("F.adaptive_avg_pool2d(1)", lambda x: F.adaptive_avg_pool2d(x, 1), PLANES),
    Case("F.avg_pool3d", lambda x: F.avg_pool3d(x, 2), VOLUMES),
    Case("F.adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)), VOLUMES),
    Case("F.max_pool3d", lambda x: F.max_pool3d(x, 2), distinct(1, 2, 4, 5, 6)),
    Case("F.adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, (3, 4)), distinct(1, 3, 8, 9)),
    Case("F.adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, (2, 3, 4)), distinct(1, 2, 4, 5, 6)),
]
for case in CASES:
    case.layouts = (contiguous, transposed, sliced)
# PyTorch for Ascend takes other layouts apart as views, which fails.
UNPOOLED = [
    Case("F.max_unpool1d", lambda x, i: F.max_unpool1d(x, i, 2), (2, 3, 5), whole(0, 10, 2, 3, 5)),
    Case("F.max_unpool2d", lambda x, i: F.max_unpool2d(x, i, 2), (2, 3, 4, 5), whole(0, 80, 2, 3, 4, 5)),
    Case("F.max_unpool2d of a picture", lambda x, i: F.max_unpool2d(x, i, 2), (3, 4, 5), whole(0, 80, 3, 4, 5)),
    Case("F.max_unpool3d", lambda x, i: F.max_unpool3d(x, i, 2), (2, 3, 2, 4), whole(0, 64, 2, 3, 2, 4)),
]
for case in UNPOOLED:
    case.layouts = (contiguous,)
run(CASES + UNPOOLED)
