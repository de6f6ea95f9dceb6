# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""mint, function by function: values and gradients, judged by PyTorch on its own processor in another process."""
import collections
import os
import sys
import tempfile

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint

from support import expressions, target

target.choose()
values = {name: Tensor(value) for name, value in expressions.tensors().items()}


def as_numbers(result):
    return np.asarray(result.asnumpy() if isinstance(result, Tensor) else result)


def total(results):
    parts = [mint.sum(one.reshape(-1) * Tensor(expressions.weights(int(np.prod(one.shape))))) for one in results if isinstance(one, Tensor) and one.is_floating_point()]
    return sum(parts[1:], parts[0])


def gradient(expression, names):
    def number(*arguments):
        return total(expressions.evaluate(expression, mint, {**values, **dict(zip(names, arguments))}))
    found = ms.grad(number, tuple(range(len(names))))(*[values[name] for name in names])
    return found if isinstance(found, tuple) else (found,)


def main():
    found, refused = {}, collections.OrderedDict()
    for place, (expression, by) in enumerate(expressions.ROWS):
        try:
            for i, one in enumerate(expressions.evaluate(expression, mint, values)):
                found[f"{place} value {i}"] = as_numbers(one)
            for name, one in zip(by.split(), gradient(expression, by.split()) if by else ()):
                found[f"{place} gradient {name}"] = as_numbers(one)
        except Exception as error:
            refused[expression] = " ".join(str(error).split())[:160]
            for key in [key for key in found if key.split()[0] == str(place)]:
                del found[key]
    for expression, why in refused.items():
        print(f"refused  {expression}: {why}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "found.npz")
        np.savez(path, **found)
        status = target.judged("judge.py", path)
    sys.exit(status or len(refused) > 0)


main()
