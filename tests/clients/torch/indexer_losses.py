# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Losses of indexers with their gradients, and Floyd attention, by torch_npu's names, beside PyTorch's on the CPU."""
import torch
import torch_npu

torch.manual_seed(4)


def near(found, expected, loose=2e-3):
    found = found.cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert torch.allclose(found.double(), expected.double(), atol=loose, rtol=loose), (found, expected)


def halves(*shape):
    return torch.randn(*shape).half()


def index_scores(query, key, weights):
    """(B, S, N, D), (B, K, 1, D), (B, S, N)"""
    return (torch.einsum("bsnd,bkd->bsnk", query, key[:, :, 0]).relu() * weights[..., None]).sum(2)


B, S, K, N, NI, D, R = 2, 4, 6, 4, 3, 16, 8
query, key, query_rope, key_rope = halves(B, S, N, D), halves(B, K, 2, D), halves(B, S, N, R), halves(B, K, 2, R)
query_index, key_index, weights = halves(B, S, NI, D) / 2, halves(B, K, 1, D) / 2, halves(B, S, NI)
scale = 0.2
hidden = torch.arange(K)[None] > torch.arange(S)[:, None] + K - S
scores = scale * sum(torch.einsum("bsnd,bknd->bnsk", q.double(), k.double().repeat_interleave(N // 2, 2)) for q, k in ((query, key), (query_rope, key_rope)))
visible = scores.masked_fill(hidden, float("-inf"))
most = visible.amax(-1)
total = (visible - most[..., None]).exp().sum(-1)
by_group = lambda x: x.reshape(B, 2, N // 2, S).transpose(-1, -2).contiguous().float()  # (B, N2, S, G)

own = [x.double().requires_grad_() for x in (query_index, key_index, weights)]
index = index_scores(*own).masked_fill(hidden, float("-inf"))
found_most, found_total = torch_npu.npu_dense_lightning_indexer_softmax_lse(query_index.npu(), key_index.npu(), weights.npu())
near(found_most[:, 0], index.amax(-1), 1e-5)
near(found_total[:, 0], (index - index.amax(-1, keepdim=True)).exp().sum(-1), 1e-5)


def loss_of(p, s):
    return (p * (p.clamp(min=1e-8).log() - s.clamp(min=1e-8).log())).sum()


p = visible.softmax(-1).mean(1)
loss = loss_of(p, index.softmax(-1))
loss.backward()
found = torch_npu.npu_dense_lightning_indexer_grad_kl_loss(
    query.npu(), key.npu(), query_index.npu(), key_index.npu(), weights.npu(), by_group(most).npu(), by_group(total).npu(),
    found_most, found_total, scale, query_rope=query_rope.npu(), key_rope=key_rope.npu())
for one, wanted in zip(found, [x.grad for x in own] + [loss.detach().reshape(1)]):
    near(one, wanted, 4e-3)

chosen = torch.stack([torch.stack([torch.randperm(K - S + s + 1)[:3] for s in range(S)]) for _ in range(B)]).int()
take = lambda x: x.gather(-1, chosen.long().unsqueeze(1).expand(-1, x.shape[1], -1, -1) if x.dim() == 4 else chosen.long())
visible = take(scores)
most = visible.amax(-1)
total = (visible - most[..., None]).exp().sum(-1)
for x in own:
    x.grad = None
loss = loss_of(visible.softmax(-1).mean(1), take(index_scores(*own)).softmax(-1))
loss.backward()
found = torch_npu.npu_sparse_lightning_indexer_grad_kl_loss(
    query.npu(), key.npu(), query_index.npu(), key_index.npu(), weights.npu(), chosen.unsqueeze(2).npu(), by_group(most).npu(), by_group(total).npu(),
    scale, query_rope=query_rope.npu(), key_rope=key_rope.npu())
for one, wanted in zip(found, [x.grad for x in own] + [loss.detach().reshape(1)]):
    near(one, wanted, 4e-3)

B, H, rows, columns, keys, D = 1, 2, 16, 16, 16, 32
parts = [halves(B, H, rows, columns, D), halves(B, H, rows, keys, D), halves(B, H, rows, keys, D), halves(B, H, keys, columns, D), halves(B, H, keys, columns, D)]
mask = torch.rand(B, 1, rows, 1, keys) < 0.3
mask[..., 0] = False
query, key1, value1, key2, value2 = own = [x.double().requires_grad_() for x in parts]
scores = 0.2 * (torch.einsum("bhnmd,bhnkd->bhnmk", query, key1) + torch.einsum("bhnmd,bhkmd->bhnmk", query, key2))
scores = scores.masked_fill(mask, float("-inf"))
weight = scores.softmax(-1)
wanted = torch.einsum("bhnmk,bhnkd->bhnmd", weight, value1) + torch.einsum("bhnmk,bhkmd->bhnmd", weight, value2)
most, total, out = torch_npu.npu_fused_floyd_attention(*(x.npu() for x in parts), atten_mask=mask.npu(), scale_value=0.2)
near(out, wanted)
near(most[..., 0], scores.amax(-1), 1e-4)
near(total[..., 0], (scores - scores.amax(-1, keepdim=True)).exp().sum(-1), 1e-4)
grad = halves(*wanted.shape)
wanted.backward(grad.double())
found = torch_npu.npu_fused_floyd_attention_backward(grad.npu(), *(x.npu() for x in parts), out, most, total, atten_mask=mask.npu(), scale_value=0.2)
for one, x in zip(found, own):
    near(one, x.grad, 2e-2)
