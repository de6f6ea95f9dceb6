# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions of torch_npu on libatb.so, eagerly and in a graph, beside PyTorch on the CPU."""

import torch
import torch_npu

from torch_npu.op_plugin.atb import _atb_ops

torch.manual_seed(5)
_atb_ops._register_atb_extensions()
atb = torch.ops.atb
TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5, torch.int8: 0, torch.int32: 0}


def close(npu, cpu):
    got, want = npu.cpu(), cpu.to(npu.dtype)
    assert got.shape == want.shape, (got.shape, want.shape)
    if not got.dtype.is_floating_point:
        assert torch.equal(got, want), (got, want)
        return
    difference = (got.double() - cpu.double()).abs()
    bound = TOLERANCE[got.dtype] * (1 + cpu.double().abs())
    assert torch.all(difference <= bound), float((difference - bound).max())


def both_ways(call, written, check):
    """The call as it is, and captured and replayed over what is written, twice; check() looks at what is there."""
    first = [tensor.clone() for tensor in written]
    call()
    check()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        call()
    for _ in range(2):
        for tensor, before in zip(written, first):
            tensor.copy_(before)
        graph.replay()
        torch.npu.synchronize()
        check()


def refused(call, *words):
    try:
        call()
        torch.npu.synchronize()
    except RuntimeError as error:
        for word in words:
            assert word in str(error), (word, str(error))
        return
    raise AssertionError("nothing was refused: " + " ".join(words))


# Rotary embedding. The wheel keeps the first table of a process, so there is one here.
T, H, KV, D = 7, 4, 2, 16
angles = torch.rand(32, D // 2) * 6
table = torch.cat([angles.cos(), angles.sin()], -1)
positions = torch.tensor([0, 3, 31, 2, 2, 17, 9])


def turned(x, neox):
    cosine, sine = table.half().float()[positions].chunk(2, -1)
    heads = x.float().reshape(T, -1, D)
    cosine, sine = cosine[:, None], sine[:, None]
    if neox:
        a, b = heads.chunk(2, -1)
        return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1).reshape(x.shape)
    a, b = heads[..., 0::2], heads[..., 1::2]
    return torch.stack([a * cosine - b * sine, b * cosine + a * sine], -1).reshape(x.shape)


for neox in True, False:
    q, k = torch.randn(T, H * D).half(), torch.randn(T, KV * D).half()
    npu_q, npu_k, npu_table, npu_positions = q.npu(), k.npu(), table.half().npu(), positions.npu()

    def check():
        close(npu_q, turned(q, neox))
        close(npu_k, turned(k, neox))

    both_ways(
        lambda: torch_npu._npu_rotary_embedding(npu_positions, npu_q, npu_k, D, npu_table, neox), [npu_q, npu_k], check
    )

# Rows to slots: negative ones write nothing, the last of two counts, the lesser number of tokens and slots does.
BLOCKS, BS = 5, 4
for dtype in torch.float16, torch.bfloat16, torch.int8:
    for count in 5, 7, 9:
        key, value = (torch.randint(-90, 90, (7, KV, D)).to(dtype) for _ in range(2))
        slots = torch.tensor([19, -1, 0, 7, 7, -3, 12, 1, 2], dtype=torch.int32)[:count]
        caches = [torch.randint(-90, 90, (BLOCKS, BS, KV, D)).to(dtype) for _ in range(2)]
        npu_caches = [cache.npu() for cache in caches]
        wanted = [cache.clone() for cache in caches]
        for rows, cache in zip((key, value), wanted):
            for row, slot in zip(rows, slots.tolist()):
                if slot >= 0:
                    cache.reshape(-1, KV, D)[slot] = row
        npu_key, npu_value, npu_slots = key.npu(), value.npu(), slots.npu()

        def check():
            for got, want in zip(npu_caches, wanted):
                assert torch.equal(got.cpu(), want)

        both_ways(lambda: torch_npu._npu_reshape_and_cache(npu_key, npu_value, *npu_caches, npu_slots), npu_caches, check)
        npu_caches[0].copy_(caches[0])

        def check_one():
            assert torch.equal(npu_caches[0].cpu(), wanted[0])

        both_ways(lambda: torch_npu._npu_reshape_and_cache_siso(npu_key, npu_caches[0], npu_slots), npu_caches[:1], check_one)
refused(
    lambda: torch_npu._npu_reshape_and_cache(
        npu_key, npu_value, *npu_caches, torch.tensor([20], dtype=torch.int32).npu()
    ),
    "slotMapping holds 20 at [0]; less than 20 is expected",
)

# C += transposed x w, in FLOAT.
for dtype in torch.float16, torch.bfloat16:
    x, w, c = torch.randn(9, 6).to(dtype), torch.randn(9, 5).to(dtype), torch.randn(6, 5)
    npu_x, npu_w, npu_c = x.npu(), w.npu(), c.npu()
    both_ways(
        lambda: torch_npu._npu_matmul_add_fp32(npu_x, npu_w, npu_c), [npu_c], lambda: close(npu_c, c + x.T.double() @ w.double())
    )


# Groups of experts.
def best_groups(x, k, groups, n):
    parts = x.float().reshape(x.shape[0], groups, -1)
    score = parts.sort(-1, descending=True)[0][..., :n].sum(-1)
    kept = score.sort(dim=-1, descending=True, stable=True)[1][:, :k]
    mask = torch.zeros_like(score).scatter_(1, kept, 1.0)
    return torch.where(mask[..., None] > 0, parts, torch.zeros(())).reshape(x.shape)


for dtype in torch.float16, torch.bfloat16:
    for n in 1, 2, 3:
        x = (torch.randint(-40, 40, (11, 24)) / 8).to(dtype)
        npu_x = x.npu()
        both_ways(
            lambda: torch_npu._npu_group_topk(npu_x, k=2, group_num=6, n=n),
            [npu_x],
            lambda: close(npu_x, best_groups(x, 2, 6, n)),
        )


def add_topk_div(x, added, groups, kept, n, k, is_norm, scale):
    s = torch.sigmoid(x.float())
    c = s + added.float()
    parts = c.reshape(len(c), groups, -1)
    score = parts.sort(-1, descending=True)[0][..., :n].sum(-1)
    best = score.sort(dim=-1, descending=True, stable=True)[1][:, :kept]
    mask = torch.zeros_like(score).scatter_(1, best, 1.0)
    c = torch.where(mask[..., None] > 0, parts, torch.tensor(-torch.inf)).reshape(c.shape)
    indices = c.sort(dim=-1, descending=True, stable=True)[1][:, :k]
    weights = s.gather(1, indices)
    return (weights / weights.sum(-1, keepdim=True) if is_norm else weights) * scale, indices.int()


for dtype in torch.float16, torch.bfloat16, torch.float32:
    for is_norm in True, False:
        x, added = torch.randn(6, 32).to(dtype), torch.randn(32).to(dtype)
        y, indices = torch_npu.atb.npu_fused_add_topk_div(
            x.npu(), added.npu(), activation_type="activation_sigmoid", group_num=8, group_topk=3, n=2, k=5, is_norm=is_norm, scale=2.5
        )
        wanted, wanted_indices = add_topk_div(x, added, 8, 3, 2, 5, is_norm, 2.5)
        close(indices, wanted_indices)
        close(y, wanted)


# Quantised numbers: rounded before the offset is added.
def quantised(x, scale, zero):
    whole = torch.round(x.float() / scale.float())
    return (whole + (0 if zero is None else zero.float())).clamp(-128, 127).to(torch.int8)


for dtype in torch.float16, torch.bfloat16:
    x = torch.cat([torch.randn(5, 16) * 40, torch.arange(-40, 40).reshape(5, 16) / 4]).to(dtype)
    scale = torch.tensor([0.5]).to(dtype)
    for zero in torch.tensor([3], dtype=torch.int8), torch.tensor([], dtype=torch.int8):
        y = torch.empty(10, 16, dtype=torch.int8).npu()
        npu_x, npu_scale, npu_zero = x.npu(), scale.npu(), zero.npu()
        both_ways(
            lambda: torch_npu._npu_quantize_per_tensor(npu_x, npu_scale, npu_zero, y),
            [y],
            lambda: close(y, quantised(x, scale, zero if len(zero) else None)),
        )
    gamma, beta, zero = torch.randn(16).to(dtype), torch.randn(16).to(dtype), torch.tensor([-2], dtype=torch.int8)
    scale = torch.tensor([0.03125]).to(dtype)
    wide = x.float()
    normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5) * gamma.float() + beta.float()
    y = torch.empty(10, 16, dtype=torch.int8).npu()
    operands = [tensor.npu() for tensor in (x, gamma, beta, scale, zero)]

    def check():
        difference = (y.cpu().int() - quantised(normed, scale, zero).int()).abs()
        assert difference.max() <= 1 and (difference != 0).sum() <= 2, difference

    both_ways(lambda: torch_npu._npu_quant_rms_norm(*operands, y, 1e-5), [y], check)

# Rows of sequences out of a paged cache.
for dtype in torch.float16, torch.bfloat16:
    key_cache, value_cache = torch.randn(6, 4, 1, 32).to(dtype), torch.randn(6, 4, 1, 8).to(dtype)
    tables = torch.tensor([[5, 0, 3], [1, 4, 2]], dtype=torch.int32)
    lengths, starts = torch.tensor([7, 3], dtype=torch.int32), torch.tensor([4, 2], dtype=torch.int32)
    for start in starts, None:
        key, value = torch.empty(10, 1, 32, dtype=dtype).npu(), torch.empty(10, 1, 8, dtype=dtype).npu()
        operands = [tensor.npu() for tensor in (key_cache, value_cache, tables, lengths)]
        npu_start = start if start is None else start.npu()

        def wanted(cache):
            parts = []
            for b in range(2):
                rows = cache[tables[b].long()].reshape(-1, *cache.shape[2:])
                first = 0 if start is None else int(start[b])
                parts.append(rows[first : first + int(lengths[b])])
            return torch.cat(parts)

        def check():
            assert torch.equal(key.cpu(), wanted(key_cache)) and torch.equal(value.cpu(), wanted(value_cache))

        both_ways(
            lambda: torch_npu.atb.npu_paged_cache_load(*operands, seq_starts=npu_start, key=key, value=value), [key, value], check
        )

refused(lambda: torch_npu._npu_group_topk(torch.zeros(2, 9, dtype=torch.float16).npu(), k=2, group_num=4, n=1), "GroupTopk")
print("all agree")
