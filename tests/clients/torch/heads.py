# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Attention by heads in eval mode without gradients, which takes a way of its own, beside the CPU."""

import torch
import torch_npu  # noqa: F401

torch.manual_seed(11)
near = {
    torch.float32: {"rtol": 1e-4, "atol": 1e-5},
    torch.float16: {"rtol": 2e-2, "atol": 2e-2},
    torch.bfloat16: {"rtol": 1e-1, "atol": 1e-1},
}
for dtype, tolerance in near.items():
    qkv, bias = torch.randn(2, 5, 3 * 24).to(dtype), torch.randn(3 * 24).to(dtype)
    for heads in (1, 2, 6, 24):
        wanted = torch._transform_bias_rescale_qkv(qkv, bias, heads)
        found = torch._transform_bias_rescale_qkv(qkv.npu(), bias.npu(), heads)
        for one, other in zip(wanted, found):
            assert other.dtype == dtype and torch.allclose(one, other.cpu(), rtol=1e-2, atol=1e-2), (dtype, heads)

    for bias_is_there in (True, False):
        attention = torch.nn.MultiheadAttention(24, 4, bias=bias_is_there, batch_first=True).eval().to(dtype)
        x = torch.randn(3, 7, 24).to(dtype)
        with torch.no_grad():
            wanted, _ = attention(x, x, x, need_weights=False)
            weighed, weights = attention(x, x, x)
            attention.npu()
            x = x.npu()
            found, _ = attention(x, x, x, need_weights=False)
            assert torch.allclose(wanted, found.cpu(), **tolerance), (dtype, bias_is_there)
            found, found_weights = attention(x, x, x)
            assert torch.allclose(weighed, found.cpu(), **tolerance), (dtype, bias_is_there)
            assert torch.allclose(weights, found_weights.cpu(), **tolerance), (dtype, bias_is_there)

for first in (True, False):
    layer = torch.nn.TransformerEncoderLayer(24, 4, 48, batch_first=True, norm_first=first).eval()
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(3, 7, 24)
    with torch.no_grad():
        wanted = layer(x), encoder(x)
        layer.npu(), encoder.npu()
        found = layer(x.npu()), encoder(x.npu())
    for one, other in zip(wanted, found):
        assert torch.allclose(one, other.cpu(), rtol=1e-4, atol=1e-5), first
