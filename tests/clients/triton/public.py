# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Kernels of public projects as they are, in the way that a program uses them, compared with torch on the CPU:
liger-kernel's, by its own choice for Ascend; flash-linear-attention's (fla-core); and conch-triton-kernels'.

    belay run python tests/clients/triton/public.py [NAME...]
"""
import sys

import torch
import torch.nn.functional as F

from cases import DEVICE, case, drawn, main, near, refused


def both(function, reference, inputs, bound=2e-5):
    """The function on the device and the reference on the CPU: what they give, and the gradients of what asks for some."""
    given = [x.clone().to(DEVICE).requires_grad_(x.is_floating_point()) if torch.is_tensor(x) else x for x in inputs]
    own = [x.clone().requires_grad_(x.is_floating_point()) if torch.is_tensor(x) else x for x in inputs]
    got, wanted = function(*given), reference(*own)
    near(got, wanted, bound)
    gradient = torch.randn(wanted.shape)
    got.backward(gradient.to(DEVICE))
    wanted.backward(gradient)
    for x, y in zip(given, own):
        if torch.is_tensor(y) and y.grad is not None:
            near(x.grad, y.grad, 4 * bound)


def rms(x, weight, eps=1e-6):
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * weight


@case
def liger_rms_norm():
    from liger_kernel.ops import LigerRMSNormFunction
    both(lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6), rms, (drawn(5, 7, 96), drawn(96)), 1e-4)


@case
def liger_layer_norm():
    from liger_kernel.ops import LigerLayerNormFunction
    both(lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, 1e-5),
         lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 1e-5), (drawn(6, 80), drawn(80), drawn(80)), 1e-4)


@case
def liger_swiglu():
    from liger_kernel.ops import LigerSiLUMulFunction
    both(lambda a, b: LigerSiLUMulFunction.apply(a, b), lambda a, b: F.silu(a) * b, (drawn(3, 5, 64), drawn(3, 5, 64)))


@case
def liger_geglu():
    from liger_kernel.ops import LigerGELUMulFunction
    both(lambda a, b: LigerGELUMulFunction.apply(a, b), lambda a, b: F.gelu(a, approximate="tanh") * b,
         (drawn(3, 5, 64), drawn(3, 5, 64)))


@case
def liger_softmax():
    from liger_kernel.ops import LigerSoftmaxFunction
    both(LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), (drawn(7, 130),))


@case
def liger_cross_entropy():
    from liger_kernel.ops import LigerCrossEntropyFunction
    target = torch.randint(0, 300, (12,))
    target[3] = -100
    both(lambda x: LigerCrossEntropyFunction.apply(x, target.to(DEVICE), None, -100, 0.0, 0.1)[0][None],
         lambda x: F.cross_entropy(x, target, label_smoothing=0.1)[None], (drawn(12, 300),), 1e-4)


@case
def liger_rope():
    from liger_kernel.ops import LigerRopeFunction
    angle = torch.outer(torch.arange(9.0), 10000.0 ** (-torch.arange(0, 32, 2) / 32)).repeat(1, 2)[None]

    def turned(x):
        return torch.cat((-x[..., 16:], x[..., :16]), -1)

    def reference(q, k):
        return torch.cat([x * angle.cos()[:, None] + turned(x) * angle.sin()[:, None] for x in (q, k)], 1)

    both(lambda q, k: torch.cat(LigerRopeFunction.apply(q, k, angle.cos().to(DEVICE), angle.sin().to(DEVICE))[:2], 1), reference,
         (drawn(2, 4, 9, 32), drawn(2, 2, 9, 32)))


@case
def conch_norms():
    from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm
    x, residual, weight = drawn(6, 96), drawn(6, 96), drawn(96)
    near(rms_norm(x.to(DEVICE), weight.to(DEVICE), 1e-6), rms(x, weight), 1e-5)
    got, kept = fused_add_rms_norm(x.to(DEVICE), residual.to(DEVICE), weight.to(DEVICE), 1e-6)
    near(got, rms(x + residual, weight), 1e-5)
    near(kept, x + residual)


@case
def conch_activations():
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
    from conch.ops.activation.silu_and_mul import silu_and_mul
    x = drawn(6, 192)
    near(silu_and_mul(x.to(DEVICE)), F.silu(x[:, :96]) * x[:, 96:], 1e-5)
    # triton-ascend gives triton.language.extra.libdevice no functions of its own.
    refused("'int' and 'NoneType'", lambda: gelu_tanh_and_mul(x.to(DEVICE)))


@case
def fla_hgrn():
    from fla.ops.hgrn import fused_recurrent_hgrn

    def reference(x, g):
        state, all_states = torch.zeros(x.shape[0], x.shape[2]), []
        for t in range(x.shape[1]):
            state = state * g[:, t].exp() + x[:, t]
            all_states.append(state)
        return torch.stack(all_states, 1)

    both(lambda x, g: fused_recurrent_hgrn(x, F.logsigmoid(g))[0], lambda x, g: reference(x, F.logsigmoid(g)),
         (drawn(2, 11, 64), drawn(2, 11, 64)), 1e-5)


def retention(q, k, v, g):
    """Linear attention whose state fades by exp(g) at each step: all of B, T, H and D; g of B, T and H."""
    state, out = torch.zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3]), []
    for t in range(q.shape[1]):
        state = state * g[:, t, :, None, None].exp() + k[:, t, :, :, None] * v[:, t, :, None, :]
        out.append((q[:, t, :, :, None] * state).sum(-2) * q.shape[-1] ** -0.5)
    return torch.stack(out, 1)


@case
def fla_simple_gla():
    from fla.ops.simple_gla import fused_recurrent_simple_gla
    q, k, v, g = drawn(1, 13, 2, 32), drawn(1, 13, 2, 32), drawn(1, 13, 2, 32), F.logsigmoid(drawn(1, 13, 2))
    near(fused_recurrent_simple_gla(*(x.to(DEVICE) for x in (q, k, v, g)))[0], retention(q, k, v, g), 1e-4)


@case
def fla_chunk_simple_gla():
    from fla.ops.simple_gla import chunk_simple_gla
    q, k, v, g = drawn(1, 70, 2, 32), drawn(1, 70, 2, 32), drawn(1, 70, 2, 32), F.logsigmoid(drawn(1, 70, 2))
    near(chunk_simple_gla(*(x.to(DEVICE) for x in (q, k, v, g)))[0], retention(q, k, v, g), 1e-3)


@case
def fla_cumsum():
    from fla.ops.utils.cumsum import chunk_local_cumsum
    g = drawn(2, 64, 3)
    near(chunk_local_cumsum(g.to(DEVICE), 16), g.view(2, 4, 16, 3).cumsum(2).view(2, 64, 3), 1e-5)


if __name__ == "__main__":
    sys.exit(main())
