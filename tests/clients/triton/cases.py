# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What the programs beside this one share: cases, comparisons, and a digest of all results, which is the same for every
number of threads and every level of the processor."""
import hashlib
import inspect
import re
import sys
import traceback

import torch
import torch_npu  # noqa: F401

DEVICE = "npu"
CASES = []
DIGEST = hashlib.sha256()


def case(function):
    CASES.append(function)
    return function


def each_case(prefix, make, rows):
    """A case for each row, (name, values...), which make(number, values...) gives."""
    for number, (name, *values) in enumerate(rows):
        run = make(number, *values)
        run.__name__ = f"{prefix}_{name}"
        case(run)


def line(kernel, mark):
    """The line of a kernel that has the mark."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, text in enumerate(lines) if mark in text)


def near(got, wanted, bound=0.0):
    got, wanted = got.detach().cpu(), wanted.detach().cpu()
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, f"{got.dtype} {got.shape}"
    DIGEST.update(got.contiguous().view(torch.uint8).numpy().tobytes())
    assert torch.equal(got.isnan(), wanted.isnan()), "other elements are NaN"
    got, wanted = got.nan_to_num(7.0), wanted.nan_to_num(7.0)
    distance = (got.double() - wanted.double()).abs().max().item() if got.numel() > 0 else 0
    assert distance <= bound, f"{distance} off, {bound} allowed"


def drawn(*shape, dtype=torch.float32):
    value = torch.randn(*shape) if dtype.is_floating_point else torch.randint(-50, 50, shape)
    return value.to(dtype)


def refused(pattern, function):
    """The call raises, and says what the pattern finds."""
    try:
        function()
        torch.npu.synchronize()
    except BaseException as error:
        assert re.search(pattern, str(error)), f"it says {str(error)[-300:]}"
        return
    raise AssertionError("it is not refused")


def main():
    torch.manual_seed(1)
    names = [argument for argument in sys.argv[1:] if argument != "-v"]
    failed = 0
    for run in CASES:
        if names and run.__name__ not in names:
            continue
        try:
            run()
            torch.npu.synchronize()
            print(f"{run.__name__}: right", flush=True)
        except BaseException as error:  # the compiler's error says what it cannot do
            failed += 1
            lines = [line for line in str(error).splitlines() if line.strip()]
            print(f"{run.__name__}: {type(error).__name__}: {' | '.join(lines)[-600:]}", flush=True)
            if "-v" in sys.argv:
                traceback.print_exc()
    print(f"digest {DIGEST.hexdigest()[:16]}")
    print(f"{failed} failed")
    return failed > 0
