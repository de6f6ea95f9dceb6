# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Every activation that the library can differentiate, beside its derivative.

    python3 examples/activations.py [PICTURE.png]

Prints both at a few points, checks that the one is the slope of the other, and draws them where PICTURE.png is given
and matplotlib is there. The parts between the %% lines are cells, for editors that run such files as notebooks.
"""
import inspect
import sys

import numpy as np

import belay_npu

x = np.linspace(-6, 6, 2401, dtype=np.float32)

# %% The activations: the library's own, or their formulas where it has only the derivative.
formulas = {
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "smooth_l1_loss": lambda x: np.where(np.abs(x) < 1, x * x / 2, np.abs(x) - 0.5),
}


def takes(function, name):
    return name in inspect.signature(function).parameters


def call(function, *arrays):
    """function with as many arrays as it has inputs, zeros in place of missing ones, element by element."""
    inputs = len(function.description.inputs)
    arrays = (list(arrays) + [np.zeros_like(x)] * inputs)[:inputs]
    return function(*arrays, **({"reduction": "none"} if takes(function, "reduction") else {}))


def is_plain(function):
    """Whether it makes one array of arrays alone, whatever else it takes having a default."""
    arrays = {parameter.python_name for parameter in function.description.inputs}
    needed = {name for name, parameter in inspect.signature(function).parameters.items()
              if parameter.default is inspect.Parameter.empty}
    return function.description.family == "pointwise" and len(function.description.outputs) == 1 and needed <= arrays


def activation_of(name):
    if name in belay_npu.operators and is_plain(belay_npu.operators[name]) and len(belay_npu.operators[name].description.inputs) == 1:
        return call(belay_npu.operators[name], x).astype(np.float64)
    return formulas[name](x.astype(np.float64)) if name in formulas else None


# %% The derivatives: what the backward operator makes of a gradient of 1.
curves = {}
for name, backward in belay_npu.operators.items():
    stem = name[:-len("_backward")]
    jumps = stem == "hardshrink"
    values = activation_of(stem) if name.endswith("_backward") and is_plain(backward) and not jumps else None
    if values is None:
        continue
    # Some derivatives are computed from the activation's result.
    point = values.astype(np.float32) if takes(backward, "output") or takes(backward, "result") else x
    curves[stem] = values, call(backward, np.ones_like(x), point).astype(np.float64)

# %% The slope between two neighbours lies between, or very near, their derivatives.
for stem, (values, derivative) in curves.items():
    slope = np.diff(values) / np.diff(x.astype(np.float64))
    least = np.minimum(derivative[1:], derivative[:-1]) - 1e-3
    greatest = np.maximum(derivative[1:], derivative[:-1]) + 1e-3
    if not np.all((least <= slope) & (slope <= greatest)):
        sys.exit(f"{stem}: its derivative is not the slope of its values")

# %% A table.
points = [np.searchsorted(x, point) for point in (-4, -1, 0, 1, 4)]
print(f"{'x':24}" + "".join(f"{x[i]:10.3f}" for i in points))
for stem, (values, derivative) in curves.items():
    print(f"{stem:24}" + "".join(f"{values[i]:10.5f}" for i in points))
    print(f"{'  its derivative':24}" + "".join(f"{derivative[i]:10.5f}" for i in points))

# %% A picture.
if len(sys.argv) > 1:
    try:
        import matplotlib
    except ImportError:
        sys.exit("There is no matplotlib here, so there is no picture.")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(4 * len(curves), 3.5), squeeze=False)
    for plot, (stem, (values, derivative)) in zip(axes[0], curves.items()):
        plot.plot(x, values, label=stem)
        plot.plot(x, derivative, label="its derivative")
        plot.set_ylim(-2, 6)
        plot.grid(alpha=0.3)
        plot.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(sys.argv[1], dpi=100)
