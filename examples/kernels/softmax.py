# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A softmax in Triton, with triton-ascend as it is, beside PyTorch's on the CPU: docs/triton.md says what it needs.

    belay run python examples/kernels/softmax.py
"""
import torch
import torch_npu  # noqa: F401
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + at, power / tl.sum(power, axis=0), mask=at < columns)


def softmax(x):
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(64, 1000)
    difference = (softmax(x.npu()).cpu() - torch.softmax(x, 1)).abs().max().item()
    print(f"64 rows of 1000, at most {difference:.1e} from PyTorch's")
    assert difference < 1e-7
