# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# reports: DC-022 aclnnNLLLoss
"""Losses with all reductions, and their gradients by input and target."""

import torch
import torch.nn.functional as F

from support.table import SINGLE, Case, Input, between, contiguous, fixed, run, whole

A, UNIT = (6, 34), between(0.05, 0.95, 6, 34)
WEIGHTS = Input(A, torch.rand, grad=False)
CLASSES = whole(0, 7, 12)
CASES = []
for reduction in ("none", "mean", "sum"):
    how = {"reduction": reduction}
    CASES += [
        Case(f"F.mse_loss({reduction})", lambda x, y, h=how: F.mse_loss(x, y, **h), A, A),
        Case(f"F.l1_loss({reduction})", lambda x, y, h=how: F.l1_loss(x, y, **h), A, A),
        Case(f"F.smooth_l1_loss({reduction})", lambda x, y, h=how: F.smooth_l1_loss(x, y, beta=0.5, **h), A, fixed(*A)),
        Case(f"F.soft_margin_loss({reduction})", lambda x, y, h=how: F.soft_margin_loss(x, y, **h), A, fixed(*A)),
        Case(
            f"F.binary_cross_entropy({reduction})",
            lambda x, y, h=how: F.binary_cross_entropy(x, y, **h),
            UNIT,
            between(0.05, 0.95, *A),
            loose=2,
        ),
        Case(
            f"F.binary_cross_entropy(weight, {reduction})",
            lambda x, y, w, h=how: F.binary_cross_entropy(x, y, w, **h),
            UNIT,
            WEIGHTS,
            WEIGHTS,
            loose=2,
        ),
        Case(
            f"F.binary_cross_entropy_with_logits({reduction})",
            lambda x, y, h=how: F.binary_cross_entropy_with_logits(x, y, **h),
            A,
            WEIGHTS,
        ),
        Case(
            f"F.binary_cross_entropy_with_logits(weight, pos_weight, {reduction})",
            lambda x, y, w, p, h=how: F.binary_cross_entropy_with_logits(x, y, w, pos_weight=p, **h),
            A,
            WEIGHTS,
            WEIGHTS,
            Input((34,), torch.rand, grad=False),
            loose=2,
        ),
        Case(f"F.nll_loss({reduction})", lambda x, y, h=how: F.nll_loss(x, y, **h), (12, 7), CLASSES),
        Case(
            f"F.nll_loss(weight, {reduction})",
            lambda x, y, w, h=how: F.nll_loss(x, y, w.abs() + 0.1, ignore_index=2, **h),
            (12, 7),
            CLASSES,
            fixed(7),
            loose=2,
        ),
        Case(
            f"F.nll_loss of images({reduction})",
            lambda x, y, h=how: F.nll_loss(x, y, **h),
            (3, 7, 4, 5),
            whole(0, 7, 3, 4, 5),
            layouts=(contiguous,),
        ),
        Case(f"F.cross_entropy({reduction})", lambda x, y, h=how: F.cross_entropy(x, y, **h), (12, 7), CLASSES),
        Case(
            f"F.cross_entropy(label_smoothing=, {reduction})",
            lambda x, y, h=how: F.cross_entropy(x, y, label_smoothing=0.1, **h),
            (12, 7),
            CLASSES,
        ),
        Case(
            f"F.cross_entropy of images({reduction})",
            lambda x, y, h=how: F.cross_entropy(x, y, **h),
            (3, 7, 4, 5),
            whole(0, 7, 3, 4, 5),
        ),
        Case(
            f"F.cross_entropy of probabilities({reduction})",
            lambda x, y, h=how: F.cross_entropy(x, y, **h),
            (12, 7),
            between(0, 1, 12, 7),
        ),
        Case(f"F.huber_loss({reduction})", lambda x, y, h=how: F.huber_loss(x, y, **h), A, fixed(*A)),
        Case(
            f"F.multilabel_margin_loss({reduction})",
            lambda x, y, h=how: F.multilabel_margin_loss(x, y, **h),
            (12, 7),
            whole(-1, 7, 12, 7),
            dtypes=SINGLE,
            loose=2,
        ),
        # The CPU takes all labels in one dim for contiguous.
        *[
            Case(
                f"F.ctc_loss({reduction}) of {what}",
                lambda x, y, h=how, z=zero: F.ctc_loss(
                    x.log_softmax(2), y.contiguous(), [7, 6, 3], [2, 1, 3], blank=1, zero_infinity=z, **h
                ),
                (7, 3, 5),
                Input(shape, lambda s: torch.randint(2, 5, s), torch.int64),
                dtypes=SINGLE,
                loose=4,
            )
            for what, shape, zero in (("rows", (3, 4), True), ("all labels", (6,), False))
        ],
        Case(
            f"F.margin_ranking_loss({reduction})",
            lambda x, y, t, h=how: F.margin_ranking_loss(x, y, t.sign(), **h),
            (20,),
            (20,),
            fixed(20),
        ),
        Case(
            f"F.hinge_embedding_loss({reduction})",
            lambda x, t, h=how: F.hinge_embedding_loss(x, t.sign(), **h),
            (20,),
            fixed(20),
        ),
        Case(
            f"F.poisson_nll_loss({reduction})",
            lambda x, t, h=how: F.poisson_nll_loss(x, t, **h),
            (20,),
            between(0, 3, 20),
        ),
        Case(
            f"F.gaussian_nll_loss({reduction})",
            lambda x, t, v, h=how: F.gaussian_nll_loss(x, t, v, **h),
            (20,),
            (20,),
            between(0.5, 3, 20),
            loose=2,
        ),
    ]
for reduction in ("none", "mean", "sum", "batchmean"):
    how = {"reduction": reduction}
    CASES += [
        Case(f"F.kl_div({reduction})", lambda x, y, h=how: F.kl_div(x, y, **h), A, UNIT),
        Case(
            f"F.kl_div(log_target=True, {reduction})",
            lambda x, y, h=how: F.kl_div(x, y, log_target=True, **h),
            A,
            A,
            loose=2,
        ),
    ]
CASES += [
    Case("F.mse_loss, broadcast", F.mse_loss, A, (34,)),
    Case(
        "F.cosine_embedding_loss",
        lambda x, y, t: F.cosine_embedding_loss(x, y, t.sign()),
        (5, 8),
        (5, 8),
        fixed(5),
        loose=4,
    ),
    Case("F.triplet_margin_loss", F.triplet_margin_loss, (5, 8), (5, 8), (5, 8), loose=4),
    Case("F.cosine_similarity", F.cosine_similarity, (5, 8), (5, 8), loose=4),
    Case("F.pairwise_distance", F.pairwise_distance, (5, 8), (5, 8), loose=4),
]
run(CASES)
