# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What comes before latent attention, and caches of INT8, as torch_npu passes them, beside PyTorch on the CPU."""

import torch
import torch_npu

NPU = torch.ops.npu
torch.manual_seed(35)
NZ = 29


def near(found, wanted, what, atol=3e-2):
    assert found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert torch.allclose(found.cpu().float(), wanted.float(), rtol=3e-2, atol=atol), what


def norm(x, gamma):
    return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gamma


def pairs(x, c, s):
    z = torch.cat([x[..., 0::2], x[..., 1::2]], -1)
    a, b = z.chunk(2, -1)
    return z * c + torch.cat([-b, a], -1) * s


def prolog():
    tokens, width, latent, heads, depth, turned, kept = 5, 64, 32, 2, 16, 32, 32
    x, down, gamma = torch.randn(tokens, width) / 4, torch.randn(width, latent) / 8, torch.rand(latent)
    up, keys = torch.randn(latent, heads * (depth + turned)) / 4, torch.randn(heads, depth, kept) / 4
    keep, kept_gamma = torch.randn(width, kept + turned) / 8, torch.rand(kept)
    sin, cos = torch.randn(tokens, turned), torch.randn(tokens, turned)
    operands = [t.bfloat16() for t in (x, down, up, keys, keep, gamma, kept_gamma, sin, cos)]
    x, down, up, keys, keep, gamma, kept_gamma, sin, cos = (t.float() for t in operands)
    query = (norm(x @ down, gamma) @ up).view(tokens, heads, depth + turned)
    own = torch.einsum("tnd,ndk->tnk", query[..., :depth].bfloat16().float(), keys)
    rope = pairs(query[..., depth:], cos[:, None], sin[:, None])
    rows = x @ keep
    wanted = torch.zeros(8, kept), torch.zeros(8, turned)
    slots = torch.tensor([6, 1, 2, -1, 3])
    used = slots >= 0
    wanted[0][slots[used]] = norm(rows[:, :kept], kept_gamma)[used]
    wanted[1][slots[used]] = pairs(rows[:, kept:], cos, sin)[used]
    on_npu = [t.npu() for t in operands]
    for i in (1, 2, 4):
        on_npu[i] = torch_npu.npu_format_cast(on_npu[i].contiguous(), NZ)
    for version in (2, 3):
        if version == 2 and "950" in torch.npu.get_device_name():
            continue  # torch_npu itself refuses it there
        caches = [torch.zeros(2, 4, 1, n, dtype=torch.bfloat16).npu() for n in (kept, turned)]
        if version == 2:
            found = NPU.npu_mla_prolog_v2(*on_npu, slots.npu(), *caches, cache_mode="PA_BSND")
        elif hasattr(NPU, "npu_mla_prolog_v3"):
            found = NPU.npu_mla_prolog_v3(*on_npu, *caches, cache_index=slots.npu(), query_norm_flag=True)
            near(found[3], norm(x @ down, gamma), "the latent query")
        else:
            continue
        near(found[0], own, f"query of V{version}")
        near(found[1], rope, f"queryRope of V{version}")
        for cache, rows_wanted in zip(caches, wanted):
            near(cache.view(8, -1), rows_wanted, f"cache of V{version}")


def quantised_prolog():
    """Weights and tokens in INT8: V3's mode 2, and a cache in INT8 by one scale."""
    if not hasattr(NPU, "npu_mla_prolog_v3"):
        return
    tokens, width, latent, heads, depth, turned, kept = 3, 64, 32, 2, 16, 32, 32
    x, down, up, keep = (
        torch.randint(-60, 60, shape, dtype=torch.int8)
        for shape in ((tokens, width), (width, latent), (latent, heads * (depth + turned)), (width, kept + turned))
    )
    keys, gamma, kept_gamma = torch.randn(heads, depth, kept) / 4, torch.rand(latent), torch.rand(kept)
    keys, gamma, kept_gamma, sin, cos = (
        t.bfloat16() for t in (keys, gamma, kept_gamma, torch.randn(tokens, turned), torch.randn(tokens, turned))
    )
    xs, ds, us, ks = (torch.rand(n) * 0.01 + 0.001 for n in (tokens, latent, up.shape[1], keep.shape[1]))
    caches = torch.zeros(2, 4, 1, kept, dtype=torch.int8).npu(), torch.zeros(2, 4, 1, turned, dtype=torch.bfloat16).npu()
    scale, slots = torch.tensor([20.0]), torch.tensor([0, 5, 7])
    cast = [torch_npu.npu_format_cast(w.npu(), NZ) for w in (down, up, keep)]
    found = NPU.npu_mla_prolog_v3(
        x.npu(), cast[0], cast[1], keys.npu(), cast[2], gamma.npu(), kept_gamma.npu(), sin.npu(), cos.npu(), *caches,
        cache_index=slots.npu(), dequant_scale_x=xs.view(-1, 1).npu(), dequant_scale_w_dq=ds.view(1, -1).npu(),
        dequant_scale_w_uq_qr=us.view(1, -1).npu(), dequant_scale_w_dkv_kr=ks.view(1, -1).npu(),
        quant_scale_ckv=scale.npu(), weight_quant_mode=2, kv_cache_quant_mode=1, query_quant_mode=1,
    )  # fmt: skip
    c = norm((x.float() @ down.float()) * xs[:, None] * ds, gamma.float())
    step = c.abs().amax(-1, keepdim=True) / 127
    query = ((c / step).round() @ up.float() * step * us).view(tokens, heads, -1)
    own = torch.einsum("tnd,ndk->tnk", query[..., :depth].bfloat16().float(), keys.float()).bfloat16().float()
    steps = own.abs().amax(-1) / 127
    near(found[2], steps[..., None], "scales of queries", 1e-3)
    assert ((found[0].cpu().float() - own / steps[..., None]).abs() <= 2).all()
    rows = (x.float() @ keep.float()) * xs[:, None] * ks
    kv = (norm(rows[:, :kept], kept_gamma.float()) * 20).round().clamp(-128, 127)
    assert ((caches[0].view(8, -1)[slots].cpu().float() - kv).abs() <= 1).all()


def turned_caches():
    batches, rows, heads, depth = 2, 3, 2, 16
    x = torch.randn(batches, rows, 4 * depth, dtype=torch.float16)
    cos, sin = (torch.randn(batches, rows, 1, depth, dtype=torch.float16) for _ in range(2))
    scale = torch.rand(1, depth) + 0.1
    caches = [torch.zeros(batches, 5, 1, depth, dtype=torch.int8).npu() for _ in range(2)]
    index = torch.tensor([1, 0], dtype=torch.int32)
    found = NPU.npu_rope_quant_kvcache(
        x.npu(), cos.npu(), sin.npu(), *caches, index.npu(), scale.npu(), scale.npu(), [heads * depth, depth, depth],
        kv_output=True,
    )  # fmt: skip
    parts = x.float().view(batches, rows, 4, depth)
    a, b = parts.chunk(2, -1)
    turned = parts * cos.float() + torch.cat([-b, a], -1) * sin.float()
    near(found[0], turned[:, :, :2], "query")
    near(found[1], turned[:, :, 2:3], "key")
    near(found[2], parts[:, :, 3:], "value")
    for b in range(batches):
        wanted = (turned[b, :, 2] / scale).round().clamp(-128, 127)
        assert ((caches[0][b, index[b] : index[b] + rows, 0].cpu().float() - wanted).abs() <= 1).all()
    whole = torch.randint(-1000, 1000, (batches, rows, 4 * depth), dtype=torch.int32)
    weight = torch.rand(4 * depth) * 0.01
    found = NPU.npu_dequant_rope_quant_kvcache(
        whole.npu(), cos.npu(), sin.npu(), *caches, index.npu(), scale.npu(), scale.npu(), [heads * depth, depth, depth],
        weight_scale=weight.npu(), kv_output=True,
    )  # fmt: skip
    near(found[2], (whole * weight).view(batches, rows, 4, depth)[:, :, 3:], "dequantised values")


for step in (prolog, quantised_prolog, turned_caches):
    try:
        step()
    except Exception as error:  # say which, and go on: the others are told, too
        print(f"{step.__name__}: {type(error).__name__}: {error}")
        failed = True
assert "failed" not in globals()
print("latent: all right")
