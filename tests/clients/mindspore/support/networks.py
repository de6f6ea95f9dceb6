# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What networks.py trains, as far as MindSpore and PyTorch agree on it: sizes, data, steps."""
import numpy as np

STEPS = 12
CLASSES = 5
HEADS, WIDTH, TOKENS, WORDS = 2, 16, 6, 20
NETWORKS = ("mlp", "cnn", "transformer")


def batch(name):
    draw = np.random.RandomState(3)
    labels = draw.randint(0, CLASSES, (16,)).astype(np.int32)
    if name == "mlp":
        return draw.standard_normal((16, 8)).astype(np.float32), labels
    if name == "cnn":
        return draw.standard_normal((16, 3, 12, 12)).astype(np.float32), labels
    return draw.randint(0, WORDS, (16, TOKENS)).astype(np.int32), labels


def weights(shapes):
    draw = np.random.RandomState(5)
    return [(draw.standard_normal(shape) * (0.3 if len(shape) > 1 else 0.1) + (len(shape) == 1)).astype(np.float32) for shape in shapes]
