# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What engines that serve language models call in each step, as torch_npu passes it, beside PyTorch on the CPU."""

import torch
import torch_npu

NPU = torch.ops.npu
torch.manual_seed(35)


def near(found, wanted, what, atol=2e-2):
    assert found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert torch.allclose(found.cpu().float(), wanted.float(), rtol=2e-2, atol=atol), what


def halves(x, c, s):
    """The elements of each row next to one another, turned to its two halves."""
    z = torch.cat([x[..., 0::2], x[..., 1::2]], -1)
    a, b = z.chunk(2, -1)
    return z * c + torch.cat([-b, a], -1) * s


def top_k_top_p():
    logits = torch.randn(4, 50)
    k, p = torch.tensor([50, 3, 10, 1], dtype=torch.int32), torch.tensor([0.9, 0.5, 1.0, 0.3])
    for has_k, has_p in ((True, True), (True, False), (False, True)):
        wanted = logits.clone()
        ordered, index = wanted.sort(-1)
        if has_k:
            least = ordered.gather(1, (50 - k.long().clamp(1, 50))[:, None])
            ordered = ordered.masked_fill(ordered < least, -torch.inf)
        if has_p:
            cut = ordered.softmax(-1).cumsum(-1) <= 1 - p[:, None]
            cut[:, -1] = False
            ordered = ordered.masked_fill(cut, -torch.inf)
        wanted = torch.empty_like(logits).scatter_(1, index, ordered)
        found = NPU.npu_top_k_top_p(logits.npu(), p.npu() if has_p else None, k.npu() if has_k else None)
        assert torch.equal(found.cpu(), wanted), (has_k, has_p)


def sample():
    logits, k, p = torch.randn(3, 40), torch.tensor([5, 1, 40], dtype=torch.int32), torch.full((3,), 0.9)
    index, kept = NPU.npu_top_k_top_p_sample(logits.npu(), k.npu(), p.npu(), is_need_logits=True)
    assert torch.equal(index.cpu().long(), logits.argmax(-1))
    assert (kept.cpu().isfinite().sum(-1) <= k).all() and kept.cpu()[1].isfinite().sum() == 1


def rotary():
    for dtype in (torch.float16, torch.bfloat16):
        x, c, s = (torch.randn(*shape, dtype=dtype) for shape in ((5, 4, 1, 64), (5, 1, 1, 64), (5, 1, 1, 64)))
        near(NPU.npu_interleave_rope(x.npu(), c.npu(), s.npu()), halves(x.float(), c.float(), s.float()), "interleave")
        q, c, s = (torch.randn(*shape, dtype=dtype) for shape in ((2, 6, 3, 16), (1, 6, 1, 16), (1, 6, 1, 16)))
        a, b = q.float().chunk(2, -1)
        wanted = q.float() * c.float() + torch.cat([-b, a], -1) * s.float()
        near(torch_npu.npu_rotary_mul(q.npu(), c.npu(), s.npu()), wanted, "rotary_mul")
        if "950" in torch.npu.get_device_name():
            continue  # torch_npu itself refuses matrices there
        rotate = torch.randn(16, 16, dtype=dtype)
        wanted = q.float() * c.float() + (q.float() @ rotate.float()) * s.float()
        found = torch_npu.npu_rotary_mul(q.npu(), c.npu(), s.npu(), "half", rotate.npu())
        near(found, wanted, "rotary_mul of a matrix", 1e-1)


def positions():
    query, key, cache = torch.randn(7, 2 * 16), torch.randn(7, 16), torch.randn(20, 8)
    for section in (None, [1, 1, 2]):
        place = torch.randint(20, (7,) if section is None else (3, 7))
        rows = cache[place]
        cosine, sine = rows.chunk(2, -1)
        if section is not None:
            cosine, sine = (torch.cat([m[i] for i, m in enumerate(part.split(section, -1))], -1) for part in (cosine, sine))
        found = NPU.npu_mrope(place.npu(), query.npu(), key.npu(), cache.npu(), 16, mrope_section=section)
        for x, y in zip((query, key), found):
            heads = x.view(7, -1, 16)
            a, b = heads[..., :4], heads[..., 4:8]
            c, s = cosine[:, None], sine[:, None]
            wanted = torch.cat([a * c - b * s, b * c + a * s, heads[..., 8:]], -1)
            near(y, wanted.reshape(x.shape), f"mrope {section}", 1e-5)


def latent():
    kv, gamma = torch.randn(5, 1, 1, 96, dtype=torch.bfloat16), torch.randn(64, dtype=torch.bfloat16)
    c, s = torch.randn(5, 1, 1, 32, dtype=torch.bfloat16), torch.randn(5, 1, 1, 32, dtype=torch.bfloat16)
    index, keys, latents = torch.tensor([3, 0, -1, 7, 5]), torch.zeros(2, 4, 1, 32), torch.zeros(2, 4, 1, 64)
    keys, latents = keys.bfloat16().npu(), latents.bfloat16().npu()
    x = kv.float()
    y = x[..., :64] / torch.sqrt((x[..., :64] ** 2).mean(-1, keepdim=True) + 1e-6) * gamma.float()
    k = halves(x[..., 64:], c.float(), s.float())
    found = torch_npu.npu_kv_rmsnorm_rope_cache(
        kv.npu(), gamma.npu(), c.npu(), s.npu(), index.npu(), keys, latents, epsilon=1e-6, cache_mode="PA", is_output_kv=True
    )
    near(found[2], k, "k of the rows", 5e-2)
    near(found[3], y, "the latent rows", 5e-2)
    for cache, rows in ((keys, k), (latents, y)):
        flat = cache.cpu().float().view(8, -1)
        near(flat[index[index >= 0]], rows.view(5, -1)[index >= 0], "the cache", 5e-2)
        assert flat[[1, 2, 4, 6]].abs().sum() == 0


def slots():
    key, value = torch.randn(5, 2, 16, dtype=torch.float16), torch.randn(5, 2, 32, dtype=torch.float16)
    place = torch.tensor([3, 0, -1, 7, 5], dtype=torch.int32)
    caches = [torch.zeros(2, 4, 2, d, dtype=torch.float16).npu() for d in (16, 32)]
    NPU.npu_scatter_pa_kv_cache(key.npu(), value.npu(), *caches, place.npu(), cache_mode="Norm")
    for cache, rows in zip(caches, (key, value)):
        assert torch.equal(cache.cpu().view(8, 2, -1)[place[place >= 0].long()], rows[place >= 0])
    table, lengths = torch.tensor([[1, 0], [0, 9]], dtype=torch.int32), torch.tensor([6, 3], dtype=torch.int32)
    out = [torch.zeros(9, 2, d, dtype=torch.float16).npu() for d in (16, 32)]
    NPU.npu_gather_pa_kv_cache(*caches, table.npu(), lengths.npu(), *out)
    for cache, rows in zip(caches, out):
        flat = cache.cpu().view(8, 2, -1)
        assert torch.equal(rows.cpu(), flat[[4, 5, 6, 7, 0, 1, 0, 1, 2]])
    tiles = [torch.zeros(2, 2 * d // 16, 4, 16, dtype=torch.float16).npu() for d in (16, 32)]
    NPU.npu_scatter_pa_kv_cache(key.npu(), value.npu(), *tiles, place.npu())
    for cache, rows in zip(tiles, (key, value)):
        flat = cache.cpu().permute(0, 2, 1, 3).reshape(8, 2, -1)
        assert torch.equal(flat[place[place >= 0].long()], rows[place >= 0])


def merged():
    lse, out = [torch.randn(12) for _ in range(3)], [torch.randn(12, 8) for _ in range(3)]
    lse[1][4] = torch.inf
    counted = torch.stack([x.masked_fill(x == torch.inf, -torch.inf) for x in lse])
    weights = counted.softmax(0)
    wanted = (weights[..., None] * torch.stack(out)).sum(0)
    for kind in (0, 1):
        found = NPU.npu_attention_update([x.npu() for x in lse], [x.npu() for x in out], kind)
        near(found[0], wanted, "merged", 1e-5)
    near(found[1], counted.logsumexp(0), "the sum", 1e-5)


def decoded():
    """Latent attention: one head of keys, which are the values, in blocks; its output by heads."""
    batches, heads, lengths = 3, 4, [6, 12, 24]
    q, qr = torch.randn(batches, heads, 1, 64, dtype=torch.bfloat16), torch.randn(batches, heads, 1, 16, dtype=torch.bfloat16)
    kv, kr = torch.randn(12, 1, 8, 64, dtype=torch.bfloat16), torch.randn(12, 1, 8, 16, dtype=torch.bfloat16)
    table = torch.randperm(12)[:9].view(3, 3).int()
    wanted = torch.empty(heads, batches, 1, 64)
    for b in range(batches):
        keys, ropes = (c[table[b].long()].reshape(24, -1)[: lengths[b]].float() for c in (kv, kr))
        scores = (q[b, :, 0].float() @ keys.T + qr[b, :, 0].float() @ ropes.T) * 0.1
        wanted[:, b, 0] = scores.softmax(-1) @ keys
    for form in (None, 16):
        cached, roped = kv, kr
        if form:  # tiles of 16 elements, with all rows of a block together
            cached, roped = (c.view(12, 1, 8, -1, 16).permute(0, 1, 3, 2, 4).contiguous() for c in (kv, kr))
        found, _ = NPU.npu_fused_infer_attention_score_v2(
            q.npu(), cached.npu(), cached.npu(), query_rope=qr.npu(), key_rope=roped.npu(), block_table=table.npu(),
            actual_seq_kvlen=lengths, num_query_heads=heads, num_key_value_heads=1, softmax_scale=0.1,
            input_layout="BNSD_NBSD", block_size=8,
        )  # fmt: skip
        near(found, wanted, f"decoded {form}", 5e-2)


def updated():
    data, new = torch.randn(3, 5, 4), torch.randn(3, 2, 4)
    place = torch.tensor([3, 0, 2], dtype=torch.int64)
    wanted = data.clone()
    for b in range(3):
        wanted[b, place[b] : place[b] + 2] = new[b]
    found = data.npu()
    NPU.scatter_update_(found, place.npu(), new.npu(), 1)
    assert torch.equal(found.cpu(), wanted)
    assert torch.equal(NPU.scatter_update(data.npu(), place.npu(), new.npu(), 1).cpu(), wanted)
    parts = [data[i].clone().npu() for i in range(3)]
    NPU.npu_scatter_list_(parts, place.npu(), new.npu(), torch.tensor([1, 0, 1], dtype=torch.uint8).npu())
    for b in range(3):
        assert torch.equal(parts[b].cpu(), data[b] if b == 1 else wanted[b])


def clipped():
    x = torch.randn(6, 8) * 6
    for in_turn in (True, False):
        a, b = (x[:, 0::2], x[:, 1::2]) if in_turn else x.chunk(2, -1)
        a, b = a.clamp(max=7), b.clamp(-7, 7)
        near(NPU.npu_clipped_swiglu(x.npu(), interleaved=in_turn), a * torch.sigmoid(1.702 * a) * (b + 1), "clipped", 1e-4)


def gelu_mul():
    x = torch.randn(6, 8) * 3
    a, b = x.chunk(2, -1)
    for how in ("none", "tanh"):
        wanted = torch.nn.functional.gelu(a, approximate=how) * b
        near(NPU.npu_gelu_mul(x.npu(), approximate=how), wanted, f"gelu {how}", 1e-4)


def windows():
    x, mask, bias = torch.randn(4, 2, 5, 6), torch.randn(2, 5, 6), torch.randn(1, 2, 5, 6)
    wanted = (x * 0.5 + mask.repeat(2, 1, 1)[:, None] + bias).softmax(-1)
    found = torch_npu.npu_masked_softmax_with_rel_pos_bias(x.npu(), mask.npu(), bias.npu(), 0.5, 0)
    near(found, wanted, "windows", 1e-5)


def advanced():
    tokens, positions, lengths, slot = (torch.zeros(3, dtype=torch.int64).npu() for _ in range(4))
    lengths += torch.tensor([4, 9, 2]).npu()
    table = torch.arange(12).view(3, 4)
    NPU.npu_advance_step_flashattn(
        tokens, torch.tensor([[7], [8]]).npu(), positions, lengths, slot, table.npu(), 3, 2, 4
    )
    assert tokens.tolist() == [7, 8, 0] and positions.tolist() == [4, 9, 0]
    assert lengths.tolist() == [5, 10, 2] and slot.tolist() == [4, 25, -1]


def ring():
    prev, cur = torch.randn(4, 2, 8), torch.randn(4, 2, 8)
    most, total = [torch.randn(4, 2, 1) for _ in range(2)], [torch.rand(4, 2, 1) + 1 for _ in range(2)]
    greatest = torch.maximum(*most)
    weight = [total[i] * torch.exp(most[i] - greatest) for i in range(2)]
    wide = [x.repeat(1, 1, 8).npu() for x in (most[0], total[0], most[1], total[1])]
    found = NPU.npu_ring_attention_update(
        prev.npu(), wide[0], wide[1], cur.npu(), wide[2], wide[3], actual_seq_qlen=torch.tensor([0, 1, 4]).npu(),
        input_layout="TND", input_softmax_layout="TND",
    )  # fmt: skip
    near(found[0], (prev * weight[0] + cur * weight[1]) / (weight[0] + weight[1]), "ring", 1e-5)
    near(found[2][..., :1], weight[0] + weight[1], "its sum", 1e-5)


def chosen():
    """The keys that a row wants, in blocks, and attention over these alone."""
    rows, heads, ends, lengths = 5, 4, torch.tensor([2, 5]).int(), torch.tensor([9, 6]).int()
    q, weights = torch.randn(rows, heads, 16, dtype=torch.bfloat16), torch.randn(rows, heads, dtype=torch.bfloat16)
    keys, table = torch.randn(6, 4, 1, 16, dtype=torch.bfloat16), torch.randperm(6).view(2, 3).int()
    own = [keys[table[b].long()].reshape(12, 16)[: lengths[b]].float() for b in range(2)]
    where = {"layout_query": "TND", "block_table": table.npu(), "actual_seq_lengths_query": ends.npu()}
    index, _ = NPU.npu_lightning_indexer(
        q.npu(), keys.npu(), weights.npu(), actual_seq_lengths_key=lengths.npu(), layout_key="PA_BSND", sparse_count=4, **where
    )
    assert index.shape == (rows, 1, 4) and index.dtype == torch.int32
    qs, kv = torch.randn(rows, heads, 32, dtype=torch.bfloat16), torch.randn(6, 4, 1, 32, dtype=torch.bfloat16)
    qr, kr = torch.randn(rows, heads, 8, dtype=torch.bfloat16), torch.randn(6, 4, 1, 8, dtype=torch.bfloat16)
    found = NPU.npu_sparse_flash_attention(
        qs.npu(), kv.npu(), kv.npu(), index, 0.1, actual_seq_lengths_kv=lengths.npu(), query_rope=qr.npu(),
        key_rope=kr.npu(), layout_kv="PA_BSND", **where,
    )  # fmt: skip
    for row in range(rows):
        b = int(row >= 2)
        first, last = (0, 2) if b == 0 else (2, 5)
        seen = row - first + int(lengths[b]) - (last - first) + 1
        sums = ((q[row].float() @ own[b][:seen].T).relu() * weights[row].float()[:, None]).sum(0)
        wanted = sums.sort(descending=True, stable=True).indices[:4].tolist()
        assert index[row, 0].tolist() == wanted + [-1] * (4 - len(wanted)), (row, index[row, 0].tolist(), wanted)
        k, r = (c[table[b].long()].reshape(12, -1)[wanted].float() for c in (kv, kr))
        scores = (qs[row].float() @ k.T + qr[row].float() @ r.T) * 0.1
        near(found[0][row], scores.softmax(-1) @ k, f"sparse attention of row {row}", 5e-2)


def gated():
    tokens, lengths = 5, [2, 3]
    q, k = torch.randn(tokens, 1, 8), torch.randn(tokens, 1, 8) / 3
    v, beta = torch.randn(tokens, 2, 4), torch.rand(tokens, 2)
    q, k, v, beta = (x.bfloat16() for x in (q, k, v, beta))
    gate, first = -torch.rand(tokens, 2), torch.randn(2, 2, 4, 8)
    wanted, state = torch.empty(tokens, 2, 4), first.bfloat16().float()
    for b, places in enumerate(((0, 2), (2, 5))):
        for t in range(*places):
            for h in range(2):
                s = state[b, h] * gate[t, h].exp()
                s = s + torch.outer(beta[t, h].float() * (v[t, h].float() - s @ k[t, 0].float()), k[t, 0].float())
                wanted[t, h], state[b, h] = s @ (q[t, 0].float() * 0.5), s
    numbers = torch.tensor(lengths, dtype=torch.int32).npu()
    found, last = NPU.npu_chunk_gated_delta_rule(
        q.npu(), k.npu(), v.npu(), beta=beta.npu(), initial_state=first.bfloat16().npu(), actual_seq_lengths=numbers,
        scale=0.5, g=gate.npu(),
    )  # fmt: skip
    near(found, wanted, "chunks", 5e-2)
    near(last, state, "the last states", 5e-2)
    kept = torch.zeros(6, 2, 4, 8).bfloat16()
    kept[0], kept[3] = first[0].bfloat16(), first[1].bfloat16()
    kept = kept.npu()
    index = torch.tensor([0, 1, 3, 4, 5], dtype=torch.int32).npu()
    found = NPU.npu_recurrent_gated_delta_rule(
        q.npu(), k.npu(), v.npu(), kept, beta=beta.npu(), scale=0.5, actual_seq_lengths=numbers, ssm_state_indices=index,
        g=gate.npu(),
    )  # fmt: skip
    near(found, wanted, "token by token", 5e-2)
    near(kept[[1, 5]], state, "the states", 5e-2)


for step in (top_k_top_p, sample, rotary, positions, latent, slots, merged, decoded, updated, clipped, gelu_mul, windows, advanced, ring, chosen, gated):
    try:
        step()
    except Exception as error:  # say which, and go on: the others are told, too
        print(f"{step.__name__}: {type(error).__name__}: {error}")
        failed = True
assert "failed" not in globals()
print("serving: all right")
