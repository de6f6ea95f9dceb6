# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Native sparse attention by torch_npu: compressed keys, attention over them, the blocks that are chosen, beside loops."""
import torch
import torch_npu

torch.manual_seed(2)


def near(found, expected, loose=2e-3):
    found = found.cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert torch.allclose(found.double(), expected.double(), atol=loose, rtol=loose), (found, expected)


ends, size, stride = [40, 50, 100], 32, 16
x, weight = torch.randn(100, 2, 16).half(), torch.rand(size, 2).half()
own, factor = x.double().requires_grad_(), weight.double().requires_grad_()
windows = []
for begin, end in zip([0] + ends, ends):
    for first in range(begin, end - size + 1, stride):
        windows.append((own[first : first + size] * factor[:, :, None]).sum(0))
wanted = torch.stack(windows)
found = torch_npu.npu_nsa_compress(x.npu(), weight.npu(), size, stride, actual_seq_len=ends)
near(found, wanted, 1e-2)
grad = torch.randn_like(wanted).half()
wanted.backward(grad.double())
dx, dweight = torch_npu.npu_nsa_compress_grad(grad.npu(), x.npu(), weight.npu(), size, stride, actual_seq_len=ends)
near(dx, own.grad, 1e-2)
near(dweight, factor.grad, 5e-2)

pages, table = torch.randn(4, 64, 2, 16).half(), torch.tensor([[2, 0], [3, 1]], dtype=torch.int32)
cache, slots, lengths = torch.zeros(5, 2, 16).half(), torch.tensor([4, 1], dtype=torch.int32), [80, 70]
own = cache.npu()
torch_npu.npu_nsa_compress_infer(pages.npu(), weight.npu(), slots.npu(), size, stride, 64, block_table=table.npu(), actual_seq_len=lengths, cache=own)
rows = pages[table[0].long()].reshape(128, 2, 16)[48:80].double()
cache[4] = (rows * weight.double()[:, :, None]).sum(0).half()  # the other sequence ends within a window
near(own, cache, 1e-2)


def attend(query, keys, values, scale, hidden=None):
    """query (N, D), keys and values (K, Nkv, D): what comes out, and the weights."""
    keys, values = (t.repeat_interleave(query.shape[0] // t.shape[1], 1) for t in (keys, values))
    scores = torch.einsum("nd,knd->nk", query, keys) * scale
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = scores.softmax(-1)
    return torch.einsum("nk,knd->nd", weights, values), weights, scores


def importance(weights, heads, blocks, parts, inside):
    grouped = weights.reshape(heads, -1, weights.shape[-1]).sum(1)
    found = torch.zeros(heads, blocks).double()
    for j in range(blocks):
        for a in range(parts):
            for c in range(inside):
                k = parts * (j + 1) - a - c
                if 0 <= k < grouped.shape[1]:
                    found[:, j] += grouped[:, k]
    return found


heads, kv, depth, wide, keys_of = 4, 2, 16, 8, [40, 24]
query, key, value = torch.randn(5, heads, depth).half(), torch.randn(64, kv, depth).half(), torch.randn(64, kv, wide).half()
rows_of, blocks_of = [2, 5], [10, 16]
out, chosen, most, total = torch_npu.npu_nsa_compress_attention(
    query.npu(), key.npu(), value.npu(), 0.25, heads, 32, 16, 64, 6, actual_seq_qlen=rows_of, actual_cmp_seq_kvlen=[40, 64], actual_sel_seq_kvlen=blocks_of)
for row in range(5):
    first, last, blocks = (0, 40, 10) if row < 2 else (40, 64, 6)
    wanted, weights, scores = attend(query[row].double(), key[first:last].double(), value[first:last].double(), 0.25)
    near(out[row], wanted)
    near(most[row, :, 0], scores.amax(-1), 1e-5)
    near(total[row, :, 0], (scores - scores.amax(-1, keepdim=True)).exp().sum(-1), 1e-5)
    near(chosen[row], importance(weights, kv, blocks, 4, 2).sort(stable=True, dim=-1, descending=True).indices[:, :6], 0)

lengths = [130, 100]
query, key, value = torch.randn(2, heads, depth).half(), torch.randn(5, 64, kv * depth).half(), torch.randn(5, 64, kv * wide).half()
table = torch.tensor([[4, 0, 2], [1, 3, -1]], dtype=torch.int32)
flat = lambda t, b, d: t[table[b].clamp(min=0).long()].reshape(-1, kv, d)[: lengths[b]].double()
out, chosen = torch_npu.npu_nsa_compress_attention_infer(
    query.npu(), key.npu(), value.npu(), 0.25, heads, kv, 64, 8, 64, 32, 16, block_table=table.npu(), actual_cmp_seq_kvlen=lengths)
for b in range(2):
    wanted, weights, _ = attend(query[b].double(), flat(key, b, depth), flat(value, b, wide), 0.25)
    near(out[b], wanted)
    blocks = -(-((lengths[b] - 1) * 16 + 32) // 64)
    score = importance(weights, kv, blocks, 4, 2)
    always = [0, blocks - 2, blocks - 1]
    for head in range(kv):
        others = [j for j in score[head].sort(stable=True, dim=-1, descending=True).indices.tolist() if j not in always]
        assert chosen.cpu()[b, head].tolist() == (always + others)[:8]

lists = torch.tensor([[[0, 1], [2, -1]], [[1, -1], [0, 1]]], dtype=torch.int32)
out = torch_npu.npu_nsa_select_attention_infer(
    query.reshape(2, 1, -1).npu(), key.npu(), value.npu(), lists.npu(), 0.25, heads, kv, 64, 2, 64, layout="BSH", block_table=table.npu(), actual_seq_kvlen=lengths)
for b in range(2):
    for n in range(heads):
        seen = [k for block in lists[b, n // 2].tolist() if block >= 0 for k in range(64 * block, min(64 * block + 64, lengths[b]))]
        wanted, _, _ = attend(query[b, n : n + 1].double(), flat(key, b, depth)[seen, n // 2 : n // 2 + 1], flat(value, b, wide)[seen, n // 2 : n // 2 + 1], 0.25)
        near(out[b, 0, n * wide : n * wide + wide], wanted[0])
