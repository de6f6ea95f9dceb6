# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Normalisation in training and evaluation, its statistics and gradients."""

import torch
import torch.nn.functional as F

from support.table import Case, Input, contiguous, run, sliced, transposed

A, IMAGES = (6, 8), (4, 6, 5, 3)


def running(*shape):
    return Input(shape, lambda s: torch.rand(s) + 0.5, torch.float32, grad=False)


def batch(x, mean, variance, weight, bias, training):
    """Running statistics are changed."""
    mean, variance = mean.clone(), variance.clone()
    return F.batch_norm(x, mean, variance, weight, bias, training=training, momentum=0.3), mean, variance


CASES = [
    Case("F.layer_norm", lambda x, w, b: F.layer_norm(x, (8,), w, b), A, (8,), (8,)),
    Case("F.layer_norm without weight", lambda x: F.layer_norm(x, (8,)), A),
    Case("F.layer_norm of two dims", lambda x, w, b: F.layer_norm(x, (6, 8), w, b), (3, 6, 8), (6, 8), (6, 8)),
    Case("F.layer_norm(eps=)", lambda x, w: F.layer_norm(x, (8,), w, None, 0.1), A, (8,)),
    Case(
        "F.batch_norm(training=True)",
        lambda x, m, v, w, b: batch(x, m, v, w, b, True),
        IMAGES,
        running(6),
        running(6),
        (6,),
        (6,),
    ),
    Case("F.batch_norm", lambda x, m, v, w, b: batch(x, m, v, w, b, False), IMAGES, running(6), running(6), (6,), (6,)),
    Case(
        "F.batch_norm without weight", lambda x, m, v: batch(x, m, v, None, None, True), IMAGES, running(6), running(6)
    ),
    Case(
        "F.batch_norm of rows",
        lambda x, m, v, w, b: batch(x, m, v, w, b, True),
        (9, 6),
        running(6),
        running(6),
        (6,),
        (6,),
    ),
    Case(
        "F.batch_norm of volumes",
        lambda x, m, v, w, b: batch(x, m, v, w, b, True),
        (2, 6, 3, 2, 4),
        running(6),
        running(6),
        (6,),
        (6,),
    ),
    Case(
        "F.batch_norm without statistics",
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        IMAGES,
        (6,),
        (6,),
    ),
    Case("F.group_norm", lambda x, w, b: F.group_norm(x, 3, w, b), IMAGES, (6,), (6,)),
    Case("F.group_norm without weight", lambda x: F.group_norm(x, 2), IMAGES),
    Case("F.instance_norm", lambda x: F.instance_norm(x), IMAGES),
    Case("F.instance_norm of weights", lambda x, w, b: F.instance_norm(x, None, None, w, b), IMAGES, (6,), (6,)),
    Case("F.rms_norm", lambda x, w: F.rms_norm(x, (8,), w), A, (8,)),
    Case("F.normalize", lambda x: F.normalize(x, dim=1), A, loose=2),
    Case("torch.Tensor.renorm_", lambda x: x.renorm_(2, 0, 1.0), A, writes=True),
    Case("torch.renorm", lambda x: torch.renorm(x, 2, 0, 1.0), A, loose=2),
]
for case in CASES:
    case.loose = max(case.loose, 4)
    case.layouts = (contiguous, transposed, sliced)
run(CASES)
