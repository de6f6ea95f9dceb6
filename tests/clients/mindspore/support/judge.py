# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""judge.py FILE: computes what mint.py has computed by PyTorch on its own processor, and compares."""
import sys

import numpy as np
import torch

import expressions

values = {name: torch.from_numpy(value) for name, value in expressions.tensors().items()}


def expected(expression, by):
    scope = {name: value.clone().requires_grad_(name in by.split()) if value.is_floating_point() else value for name, value in values.items()}
    results = expressions.evaluate(expression, torch, scope)
    numbers = {f"value {i}": np.asarray(one.detach().numpy() if isinstance(one, torch.Tensor) else one) for i, one in enumerate(results)}
    if by:
        parts = [torch.sum(one.reshape(-1) * torch.from_numpy(expressions.weights(one.numel())))
                 for one in results if isinstance(one, torch.Tensor) and one.is_floating_point()]
        sum(parts[1:], parts[0]).backward()
        numbers.update({f"gradient {name}": scope[name].grad.numpy() for name in by.split()})
    return numbers


def main():
    found = np.load(sys.argv[1])
    right = wrong = gradients = 0
    for place, (expression, by) in enumerate(expressions.ROWS):
        names = [key for key in found.files if key.split()[0] == str(place)]
        if not names:
            continue
        other = expression
        for mine, theirs in expressions.PYTORCH.items():
            other = other.replace(mine, theirs)
        truth = expected(other, by)
        faults = [key for key in truth if f"{place} {key}" not in found.files]
        for key in set(truth) - set(faults):
            one, two = truth[key], found[f"{place} {key}"]
            if one.shape != two.shape or (one.dtype.kind == "f") != (two.dtype.kind == "f") or \
                    not np.allclose(one.astype(np.complex128 if one.dtype.kind == "c" else np.float64), two, 2e-4, 2e-5, equal_nan=True):
                faults.append(f"{key}: {two.reshape(-1)[:4]} {two.shape}, {one.reshape(-1)[:4]} {one.shape} is right")
        for fault in faults:
            print(f"wrong    {expression} {fault}")
        wrong += len(faults) > 0
        right += not faults
        gradients += not faults and by != ""
    print(f"{right} expressions are right, {gradients} of them with gradients; {wrong} are wrong")
    sys.exit(wrong > 0 or right < 300)


main()
