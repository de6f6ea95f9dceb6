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



# Attention.
def attend(q, k, v, scale, first=None, mask=None):
    """q [n, H, D], k and v [L, KV, D]; query i sees keys up to first + i, or all; the logarithm of the sums, too."""
    q, k, v = q.double(), k.double(), v.double()
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = torch.einsum("nhd,lhd->hnl", q, k) * scale
    if mask is not None:
        scores = scores + mask.double()
    if first is not None:
        places = torch.arange(q.shape[0])[:, None] + first
        scores = scores.masked_fill(torch.arange(k.shape[0])[None] > places, -torch.inf)
    return torch.einsum("hnl,lhd->nhd", scores.softmax(-1), v), scores.logsumexp(-1)


H, KV, D, BS = 4, 2, 16, 16
tables = torch.tensor([[3, 0, 0], [1, 5, 2], [4, 0, 0]], dtype=torch.int32)
contexts, rows = [7, 40, 1], [3, 5, 1]
for dtype in torch.float16, torch.bfloat16:
    keys, values = torch.randn(6, BS, KV, D).to(dtype), torch.randn(6, BS, KV, D).to(dtype)
    npu_keys, npu_values, npu_tables = keys.npu(), values.npu(), tables.npu()
    lens, row_lens = torch.tensor(contexts, dtype=torch.int32), torch.tensor(rows, dtype=torch.int32)

    def sequence(cache, b):
        return cache[tables[b].long()].reshape(-1, *cache.shape[2:])[: contexts[b]]

    q = torch.randn(3, H, D).to(dtype)
    npu_q, out = q.npu(), torch.empty(3, H, D, dtype=dtype).npu()
    wanted = torch.cat([attend(q[b : b + 1], sequence(keys, b), sequence(values, b), 0.25)[0] for b in range(3)])
    for given in lens, lens.npu():
        torch_npu._npu_paged_attention(npu_q, npu_keys, npu_values, KV, H, 0.25, npu_tables, given, out)
        close(out, wanted)
        out.zero_()
    both_ways(
        lambda: torch_npu._npu_paged_attention(npu_q, npu_keys, npu_values, KV, H, 0.25, npu_tables, lens, out),
        [out],
        lambda: close(out, wanted),
    )
    torch_npu.atb._npu_paged_attention_v2(
        npu_q, npu_keys, npu_tables, contexts, value_cache=npu_values, num_kv_heads=KV, num_heads=H, scale_value=0.25, out=out
    )
    close(out, wanted)

    q = torch.randn(sum(rows), H, D).to(dtype)
    npu_q, out = q.npu(), torch.empty(sum(rows), H, D, dtype=dtype).npu()
    parts = q.split(rows)
    wanted = torch.cat(
        [attend(parts[b], sequence(keys, b), sequence(values, b), 0.25, contexts[b] - rows[b])[0] for b in range(3)]
    )
    mask = torch.triu(torch.ones(128, 128), 1).to(dtype).npu()
    both_ways(
        lambda: torch_npu._npu_paged_attention_splitfuse(
            npu_q, npu_keys, npu_values, npu_tables, lens, mask, row_lens, KV, H, 0.25, out
        ),
        [out],
        lambda: close(out, wanted),
    )
    out.zero_()
    torch_npu._npu_flash_attention_qlens(npu_q, npu_keys, npu_values, npu_tables, mask, row_lens, lens, KV, H, 0.25, out)
    close(out, wanted)
    got = torch_npu.atb.npu_self_attention_prefix_encoder(
        npu_q, npu_keys, npu_values, npu_tables, rows, contexts, H, 0.25, KV, mask_type="mask_type_causal_mask"
    )
    close(got, wanted)

    k, v = torch.randn(sum(rows), KV, D).to(dtype), torch.randn(sum(rows), KV, D).to(dtype)
    npu_k, npu_v = k.npu(), v.npu()
    all_parts = list(zip(parts, k.split(rows), v.split(rows)))
    out.zero_()
    torch_npu._npu_flash_attention_unpad(npu_q, npu_k, npu_v, row_lens, 0.25, H, KV, out)
    close(out, torch.cat([attend(*part, 0.25)[0] for part in all_parts]))
    wanted = torch.cat([attend(*part, 0.25, 0)[0] for part in all_parts])
    torch_npu._npu_flash_attention_v3(npu_q, npu_k, npu_v, mask, row_lens, 0.25, H, KV, out=out)
    close(out, wanted)
    added = torch.triu(torch.full((8, 8), -10000.0 if dtype is torch.float16 else 1.0), 1).to(dtype).npu()
    both_ways(
        lambda: torch_npu._npu_flash_attention(npu_q, npu_k, npu_v, added, row_lens, 0.25, H, KV, out),
        [out],
        lambda: close(out, wanted),
    )

    # Keys in two parts, the values a part of them.
    nope, rope = torch.randn(6, BS, 1, 32).to(dtype), torch.randn(6, BS, 1, 8).to(dtype)
    q_nope, q_rope = torch.randn(3, H, 32).to(dtype), torch.randn(3, H, 8).to(dtype)
    whole, q = torch.cat([nope, rope], -1), torch.cat([q_nope, q_rope], -1)
    wanted = torch.cat([attend(q[b : b + 1], sequence(whole, b), sequence(nope, b), 0.25)[0] for b in range(3)])
    got = torch_npu.atb.npu_multi_head_latent_attention(
        q_nope.npu(), q_rope.npu(), nope.npu(), rope.npu(), npu_tables, contexts, H, 0.25, 1
    )
    close(got, wanted)
    out = torch.empty(3, H, 32, dtype=dtype).npu()
    torch_npu._npu_paged_attention_mla(q.npu(), whole.npu(), 1, H, 0.25, npu_tables, lens, 32, out)
    close(out, wanted)

    # A ring: first the keys of another part, all of which are seen, then the own ones.
    q_nope, q_rope = torch.randn(sum(rows), H, 32).to(dtype), torch.randn(sum(rows), H, 8).to(dtype)
    others = [2, 6, 3]
    first = [torch.randn(sum(others), H, size).to(dtype) for size in (32, 8, 32)]
    second = [torch.randn(sum(rows), H, size).to(dtype) for size in (32, 8, 32)]
    how = dict(qk_scale=0.25, kernel_type="kernel_type_high_precision", input_layout="type_bsnd")
    both = torch.stack([row_lens, torch.tensor(others, dtype=torch.int32)])
    before, before_lse = torch_npu.atb.npu_ring_mla(
        q_nope.npu(), q_rope.npu(), *(x.npu() for x in first), None, both, H, H,
        mask_type="no_mask", calc_type="calc_type_first_ring", **how
    )
    got, lse = torch_npu.atb.npu_ring_mla(
        q_nope.npu(), q_rope.npu(), *(x.npu() for x in second), mask, row_lens, H, H,
        pre_out=before, prev_lse=before_lse, mask_type="mask_type_triu", calc_type="calc_type_default", **how
    )
    wanted, sums = [], []
    q = torch.cat([q_nope, q_rope], -1)
    for b, (queries, count) in enumerate(zip(q.split(rows), others)):
        k = torch.cat([torch.cat(x[:2], -1).split(n)[b] for x, n in ((first, others), (second, rows))])
        v = torch.cat([x[2].split(n)[b] for x, n in ((first, others), (second, rows))])
        result, sum_ = attend(queries, k, v, 0.25, count)
        wanted.append(result)
        sums.append(sum_)
    close(got, torch.cat(wanted))
    close(lse, torch.cat(sums, -1).float())

refused(lambda: torch_npu._npu_group_topk(torch.zeros(2, 9, dtype=torch.float16).npu(), k=2, group_num=4, n=1), "GroupTopk")
print("all agree")
