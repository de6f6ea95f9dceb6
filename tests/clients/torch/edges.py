# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What programs of others met at the edges of functions: numbers that do not count, padding, views, bounds."""
import torch


def like_cpu(name, function):
    """The function of a device gives what it gives on the CPU, NaN in the same places."""
    expected, found = function("cpu"), function("npu")
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(expected, found):
        torch.testing.assert_close(other.cpu(), one, equal_nan=True, msg=lambda text: f"{name}: {text}")


# beta 0 leaves the first operand out, whatever it holds.
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for fill in (float("nan"), float("inf")):
        def ones(device, *shape):
            return torch.ones(*shape, dtype=dtype, device=device)

        def filled(device, *shape):
            return torch.full(shape, fill, dtype=dtype, device=device)

        for name, shape, first, second in (
            ("addr", (1, 2), (1,), (2,)),
            ("addmv", (2,), (2, 3), (3,)),
            ("addmm", (1, 2), (1, 3), (3, 2)),
            ("addbmm", (2, 2), (2, 2, 3), (2, 3, 2)),
            ("baddbmm", (2, 2, 2), (2, 2, 3), (2, 3, 2)),
        ):
            like_cpu(name, lambda on: getattr(torch, name)(
                filled(on, *shape), ones(on, *first), ones(on, *second), beta=0))
            like_cpu(name + "_", lambda on: getattr(filled(on, *shape), name + "_")(
                ones(on, *first), ones(on, *second), beta=0))
