# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Attention over keys that are chosen, quantised ones and gradients, as torch_npu passes it, beside PyTorch."""

import torch
import torch_npu

NPU = torch.ops.npu
torch.manual_seed(35)


def near(found, wanted, what, atol=3e-2):
    assert found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert torch.allclose(found.cpu().float(), wanted.float(), rtol=3e-2, atol=atol), what


def has(name):
    return hasattr(NPU, name)


def quantised_indexer():
    if not has("npu_quant_lightning_indexer"):
        return
    rows, heads, ends, lengths = 5, 4, torch.tensor([2, 5]).int(), torch.tensor([9, 6]).int()
    q, keys = (torch.randint(-9, 9, shape, dtype=torch.int8) for shape in ((rows, heads, 16), (6, 4, 1, 16)))
    weights, qs, ks = torch.randn(rows, heads).half(), torch.rand(rows, heads).half(), torch.rand(6, 4, 1).half()
    table = torch.randperm(6).view(2, 3).int()
    found = NPU.npu_quant_lightning_indexer(
        q.npu(), keys.npu(), weights.npu(), qs.npu(), ks.npu(), 0, 0, actual_seq_lengths_query=ends.npu(),
        actual_seq_lengths_key=lengths.npu(), block_table=table.npu(), layout_query="TND", layout_key="PA_BSND", sparse_count=4,
    )  # fmt: skip
    for row in range(rows):
        b = int(row >= 2)
        first, last = (0, 2) if b == 0 else (2, 5)
        seen = row - first + int(lengths[b]) - (last - first) + 1
        own = keys[table[b].long()].reshape(12, 16)[:seen].double()
        scale = ks[table[b].long()].reshape(12)[:seen].double()
        sums = ((q[row].double() @ own.T).relu() * (weights[row].double() * qs[row].double())[:, None]).sum(0) * scale
        wanted = sums.sort(descending=True, stable=True).indices[:4].tolist()
        assert found[row, 0].tolist() == wanted + [-1] * (4 - len(wanted)), (row, found[row, 0].tolist(), wanted)


def quantised_keys():
    if not has("npu_kv_quant_sparse_flash_attention"):
        return
    batches, rows, heads, count = 2, 3, 4, 4
    q = torch.randn(batches, rows, heads, 576).bfloat16() / 8
    numbers = torch.randint(-127, 127, (batches, 6, 1, 512), dtype=torch.int8)
    rope, scale = torch.randn(batches, 6, 1, 64).bfloat16(), torch.rand(batches, 6, 1, 4) / 50
    packed = torch.cat([numbers, rope.view(torch.int8), scale.view(torch.int8)], -1)
    index = torch.stack([torch.randperm(6)[:count] for _ in range(batches * rows)]).view(batches, rows, 1, count).int()
    found = NPU.npu_kv_quant_sparse_flash_attention(
        q.npu(), packed.npu(), packed.npu(), index.npu(), 0.5, 2, 2, layout_query="BSND", layout_kv="BSND", sparse_mode=0,
        attention_mode=2,
    )  # fmt: skip
    values = numbers.float() * scale.repeat_interleave(128, -1)
    keys = torch.cat([values, rope.float()], -1)
    for b in range(batches):
        for r in range(rows):
            k, v = keys[b, index[b, r, 0].long(), 0], values[b, index[b, r, 0].long(), 0]
            near(found[b, r], (q[b, r].float() @ k.T * 0.5).softmax(-1) @ v, f"row {b} {r}", 5e-2)


def gradients():
    if not has("npu_sparse_flash_attention_grad"):
        return
    batches, rows, keys, heads, depth, rope, count = 2, 3, 6, 4, 32, 8, 4
    shapes = (batches, rows, heads, depth), (batches, keys, 1, depth), (batches, rows, heads, rope), (batches, keys, 1, rope)
    q, k, qr, kr = (torch.randn(shape).bfloat16() for shape in shapes)
    index = torch.stack([torch.randperm(keys)[:count] for _ in range(batches * rows)]).view(batches, rows, 1, count).int()
    where = {"query_rope": qr.npu(), "key_rope": kr.npu(), "sparse_mode": 0}
    out, most, total = NPU.npu_sparse_flash_attention(
        q.npu(), k.npu(), k.npu(), index.npu(), 0.1, attention_mode=2, return_softmax_lse=True, **where
    )
    d_out = torch.randn(batches, rows, heads, depth).bfloat16()
    found = NPU.npu_sparse_flash_attention_grad(
        q.npu(), k.npu(), k.npu(), index.npu(), d_out.npu(), out, most, total, 0.1, 1, layout="BSND", **where
    )
    fq, fk, fv, fqr, fkr = (t.float().requires_grad_() for t in (q, k, k, qr, kr))
    hidden = torch.full((batches, rows, keys), -torch.inf).scatter(2, index[:, :, 0].long(), 0.0)
    scores = torch.einsum("brhd,bkd->brhk", fq, fk[:, :, 0]) + torch.einsum("brhd,bkd->brhk", fqr, fkr[:, :, 0])
    wanted = torch.einsum("brhk,bkd->brhd", (scores * 0.1 + hidden[:, :, None]).softmax(-1), fv[:, :, 0])
    wanted.backward(d_out.float())
    for name, ours, theirs in zip(("query", "key", "value", "queryRope", "keyRope"), found, (fq, fk, fv, fqr, fkr)):
        near(ours, theirs.grad, f"the gradient of {name}", 6e-2)


def blocks():
    """Blocks of keys that a list names for each row, of which those up to the row are seen, and gradients."""
    rows, keys, heads, depth, block = 6, 12, 4, 32, 4
    q, k, v = (torch.randn(n, h, depth).half() for n, h in ((rows, heads), (keys, 2), (keys, 2)))
    index = torch.stack([torch.randperm(3)[:2] for _ in range(rows * 2)]).view(rows, 2, 2).int()
    leaves = [t.npu().requires_grad_() for t in (q, k, v)]
    found = NPU.npu_nsa_select_attention(
        *leaves, index.npu(), 0.2, heads, block, 2, actual_seq_qlen=[rows], actual_seq_kvlen=[keys]
    )[0]
    fq, fk, fv = (t.float().requires_grad_() for t in (q, k, v))
    hidden = torch.full((rows, 2, keys), -torch.inf)
    for r in range(rows):
        for m in range(2):
            for b in index[r, m].tolist():
                hidden[r, m, b * block : min((b + 1) * block, r + keys - rows + 1)] = 0
    scores = torch.einsum("rmgd,kmd->rmgk", fq.view(rows, 2, 2, depth), fk) * 0.2 + hidden[:, :, None]
    wanted = torch.einsum("rmgk,kmd->rmgd", scores.softmax(-1), fv).reshape(rows, heads, depth)
    near(found, wanted, "selected attention")
    gradient = torch.randn(rows, heads, depth).half()
    found.backward(gradient.npu())
    wanted.backward(gradient.float())
    for ours, theirs in zip(leaves, (fq, fk, fv)):
        near(ours.grad, theirs.grad, "its gradients", 6e-2)


def masked_blocks():
    if not has("npu_block_sparse_attention"):
        return
    rows, keys, heads, depth = 8, 12, 2, 32
    q, k, v = (torch.randn(1, heads, n, depth).half() for n in (rows, keys, keys))
    mask = torch.randint(0, 2, (1, heads, 2, 3), dtype=torch.int8)
    mask[..., 0] = 1
    found, lse = NPU.npu_block_sparse_attention(
        q.npu(), k.npu(), v.npu(), mask.npu(), [4, 4], q_input_layout="BNSD", kv_input_layout="BNSD",
        num_key_value_heads=heads, scale_value=0.2, actual_seq_lengths=[rows], actual_seq_lengths_kv=[keys], softmax_lse_flag=1,
    )  # fmt: skip
    fq, fk, fv = (t.float().requires_grad_() for t in (q, k, v))
    seen = mask.repeat_interleave(4, 2).repeat_interleave(4, 3).bool()
    scores = (fq @ fk.mT * 0.2).masked_fill(~seen, -torch.inf)
    wanted = scores.softmax(-1) @ fv
    near(found, wanted, "block sparse attention")
    near(lse.view(1, heads, rows), scores.logsumexp(-1), "its logarithms")
    gradient = torch.randn(1, heads, rows, depth).half()
    wanted.backward(gradient.float())
    ours = NPU.npu_block_sparse_attention_backward(
        gradient.npu(), q.npu(), k.npu(), v.npu(), found, lse, mask.npu(), [4, 4], [rows], [keys], "BNSD", "BNSD", heads, 0.2
    )
    for one, theirs in zip(ours, (fq, fk, fv)):
        near(one, theirs.grad, "its gradients", 6e-2)


def indexer_gradients():
    if not has("npu_lightning_indexer_grad"):
        return
    batches, rows, keys, heads, depth, count = 2, 3, 6, 4, 128, 4
    q, k = torch.randn(batches, rows, heads, depth).bfloat16(), torch.randn(batches, keys, 1, depth).bfloat16()
    w, dy = torch.randn(batches, rows, heads).bfloat16(), torch.randn(batches, rows, count).bfloat16()
    index = torch.stack([torch.randperm(keys)[:count] for _ in range(batches * rows)]).view(batches, rows, count).int()
    found = NPU.npu_lightning_indexer_grad(
        q.npu(), k.npu(), dy.npu(), index.npu(), w.npu(), layout="BSND", sparse_mode=0
    )
    fq, fk, fw = (t.float().requires_grad_() for t in (q, k, w))
    sums = (torch.einsum("brhd,bkd->brhk", fq, fk[:, :, 0]).relu() * fw[..., None]).sum(2)
    sums.gather(2, index.long()).backward(dy.float())
    for name, ours, theirs in zip(("query", "key", "weights"), found, (fq, fk, fw)):
        near(ours, theirs.grad, f"the gradient of {name}", 1e-1)


for step in (indexer_gradients, quantised_indexer, quantised_keys, gradients, blocks, masked_blocks):
    try:
        step()
    except Exception as error:  # say which, and go on: the others are told, too
        print(f"{step.__name__}: {type(error).__name__}: {error}")
        failed = True
assert "failed" not in globals()
print("chosen keys: all right")
