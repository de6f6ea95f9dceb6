# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Pools with jit_compile, which are operators by name under Ascend910B3, beside the CPU, with their gradients."""
import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401

torch.npu.set_compile_mode(jit_compile=True)
torch.manual_seed(0)
CASES = [
    (lambda x: F.max_pool2d(x, 2), (2, 3, 9, 8)),
    (lambda x: F.max_pool2d(x, 3, 2, 1), (2, 20, 9, 8)),
    (lambda x: F.max_pool2d(x, (3, 2), (2, 1), ceil_mode=True), (2, 3, 9, 8)),
    (lambda x: F.max_pool2d(x, 3, 2), (1, 5, 9, 8)),
    (lambda x: F.max_pool2d(x, 3, 2), (5, 9, 8)),  # float16 alone: torch_npu casts the mask as if it were of x's dtype
    (lambda x: F.max_pool1d(x, 3, 2), (2, 3, 9)),
    (lambda x: F.adaptive_max_pool2d(x, (3, 4)), (2, 3, 9, 8)),
    (lambda x: F.avg_pool2d(x, 3, 2), (2, 3, 9, 8)),
    # torch_npu asks for means of windows without their padding, whatever count_include_pad says.
    (lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (2, 3, 9, 8)),
    (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 6, 6)),
    (lambda x: F.max_pool3d(x, 2, 2, 1, ceil_mode=True), (1, 2, 4, 5, 6)),
    (lambda x: F.avg_pool3d(x, 2, 2, 1), (1, 2, 4, 6, 6)),
    (lambda x: F.adaptive_avg_pool2d(x, (3, 4)), (2, 3, 9, 8)),
    (lambda x: F.adaptive_avg_pool2d(x, 1), (2, 3, 9, 8)),
]
for dtype in torch.float16, torch.float32:
    for number, (function, shape) in enumerate(CASES):
        if dtype == torch.float32 and shape == (5, 9, 8):
            continue
        host = torch.randn(shape).to(dtype)
        device = host.npu().requires_grad_()
        host = host.float().requires_grad_()
        found, expected = function(device), function(host)
        found.backward(torch.ones_like(found))
        expected.backward(torch.ones_like(expected))
        for got, right in (found, expected), (device.grad, host.grad):
            torch.testing.assert_close(got.cpu().float(), right, rtol=2e-3, atol=1e-3, msg=lambda text: f"case {number} of {dtype}: {text}")
