# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""training_loop.c with NumPy arrays: two layers of pointwise operators and a loss, forward, backward and update.

    python3 examples/training_loop.py [PICTURE.svg]

Prints losses beside those of a computation in doubles, checks that they are equal to rounding, and draws them where
PICTURE.svg is given. The parts between the %% lines are cells, for editors that run such files as notebooks.
"""
import sys

import numpy as np

import belay_npu

count, steps, beta, rate = 256, 100, 0.5, 8

# %% What is learned: a curve, by weights of each element's own.
x = (np.arange(count) / 32 - 4).astype(np.float32)
target = (1.5 * np.sin(x.astype(np.float64)) + 0.5).astype(np.float32)


def train():
    """The losses of the library's operators, which work on FLOAT."""
    first, second, bias = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    losses = []
    for _ in range(steps):
        a = belay_npu.mul(first, x)
        hidden = belay_npu.silu(a)
        b = belay_npu.add(belay_npu.mul(second, hidden), bias)
        y = belay_npu.hardswish(b)
        losses.append(float(belay_npu.smooth_l1_loss(y, target, beta=beta)))

        gradient = belay_npu.smooth_l1_loss_backward(1, y, target, beta=beta)
        gradient = belay_npu.hardswish_backward(gradient, b)
        of_hidden = belay_npu.mul(gradient, second)
        belay_npu.inplace_add(second, belay_npu.muls(belay_npu.mul(gradient, hidden), -rate))
        belay_npu.inplace_add(bias, gradient, -rate)
        of_a = belay_npu.silu_backward(of_hidden, a)
        belay_npu.inplace_add(first, belay_npu.muls(belay_npu.mul(of_a, x), -rate))
    return np.array(losses)


def train_in_doubles():
    """The same from the formulas, in doubles, and nothing of the library."""
    x64, target64 = x.astype(np.float64), target.astype(np.float64)
    first, second, bias = np.ones(count), np.ones(count), np.zeros(count)
    losses = []
    for _ in range(steps):
        a = first * x64
        sigma = 1 / (1 + np.exp(-a))
        hidden = a * sigma
        b = second * hidden + bias
        d = b * np.clip(b + 3, 0, 6) / 6 - target64
        losses.append(np.mean(np.where(abs(d) < beta, d * d / (2 * beta), abs(d) - beta / 2)))

        gradient = np.clip(d / beta, -1, 1) / count * np.where(b < -3, 0, np.where(b > 3, 1, b / 3 + 0.5))
        of_hidden = gradient * second
        second = second - rate * gradient * hidden
        bias = bias - rate * gradient
        first = first - rate * of_hidden * sigma * (1 + a * (1 - sigma)) * x64
    return np.array(losses)


# %% The two, side by side.
losses, expected = train(), train_in_doubles()
for step in [*range(0, steps, 20), steps - 1]:
    print(f"step {step:2}: loss {losses[step]:.7f}, in doubles {expected[step]:.7f}")
greatest = np.max(abs(losses - expected) / expected)
print(f"the greatest difference is {greatest:.1e} of the loss")
if greatest > 2**-22 or losses[-1] > losses[0] / 4:
    sys.exit("the losses are not those of the computation in doubles, or nothing is learned")

# %% A picture: the line in doubles, and the library's losses as dots on it.
if len(sys.argv) > 1:
    width, height, left, bottom = 560, 320, 56, 40

    def place(step, loss):
        right, top = width - 16, 16
        return (left + (right - left) * step / (steps - 1), height - bottom - (height - bottom - top) * loss)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for tick in range(6):
        (x0, y), (x1, _) = place(0, tick / 5), place(steps - 1, tick / 5)
        parts.append(f'<path d="M{x0:.1f} {y:.1f}H{x1:.1f}" stroke="#ddd"/>'
                     f'<text x="{x0 - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick / 5:.1f}</text>')
    for step in range(0, steps, 20):
        at, y = place(step, 0)
        parts.append(f'<text x="{at:.1f}" y="{y + 18:.1f}" text-anchor="middle">{step}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">step</text>')
    line = " ".join("{:.1f},{:.1f}".format(*place(step, loss)) for step, loss in enumerate(expected))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#d62" stroke-width="3"/>')
    for step in range(0, steps, 3):
        at, y = place(step, losses[step])
        parts.append(f'<circle cx="{at:.1f}" cy="{y:.1f}" r="2.4" fill="#136"/>')
    parts.append('<text x="300" y="40">mean SmoothL1 loss: line in doubles, dots by Belay</text></svg>')
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")
