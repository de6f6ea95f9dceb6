# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""One function forward and backward."""
import torch

x = torch.randn(1000)
on_cpu, on_npu = x.clone().requires_grad_(), x.npu().requires_grad_()
seed = torch.randn(1000)
a, b = torch.nn.functional.silu(on_cpu), torch.nn.functional.silu(on_npu)
a.backward(seed)
b.backward(seed.npu())
torch.testing.assert_close(b.cpu(), a, rtol=1e-6, atol=1e-7)
torch.testing.assert_close(on_npu.grad.cpu(), on_cpu.grad, rtol=1e-6, atol=1e-7)
