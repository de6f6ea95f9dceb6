# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Functions of torch_npu for mixtures of experts, beside loops in PyTorch on the CPU."""
import torch
import torch_npu

torch.manual_seed(1)


def near(found, expected, loose=1e-3):
    found = found.cpu()
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, found.shape, expected.shape)
    assert torch.allclose(found.float(), expected.float(), atol=loose, rtol=loose), (found, expected)


def gate(x, bias, k, groups, kept, norm, renorm, factor):
    scores = x.float().softmax(-1) if norm == 0 else x.float().sigmoid()
    best = scores + (0 if bias is None else bias.float())
    if groups > 1:
        parts = best.reshape(len(x), groups, -1)
        keep = parts.topk(2, -1).values.sum(-1).topk(kept, -1).indices
        mask = torch.zeros(len(x), groups, dtype=torch.bool).scatter_(1, keep, True)
        best = parts.masked_fill(~mask[..., None], float("-inf")).reshape(best.shape)
    index = best.topk(k, -1).indices
    weight = scores.gather(1, index)
    if renorm or norm:
        weight = weight / (weight.sum(-1, keepdim=True) + 1e-20)
    return (weight * factor).to(x.dtype), index.int(), scores


def gates():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x, bias = torch.randn(7, 16).to(dtype), torch.randn(16)
        for norm, renorm, groups, kept, b, factor in ((0, 1, 1, 1, None, 1.0), (0, 0, 1, 1, None, 1.0), (1, 1, 4, 2, bias, 2.5)):
            b = None if b is None else b.to(dtype)
            found = torch_npu.npu_moe_gating_top_k(
                x.npu(), 2, bias=b.npu() if b is not None else None, k_group=kept, group_count=groups, group_select_mode=1,
                renorm=renorm, norm_type=norm, routed_scaling_factor=factor)
            expected = gate(x, b, 2, groups, kept, norm, renorm, factor)
            assert torch.equal(found[1].cpu(), expected[1])
            near(found[0], expected[0], 1e-2)
            near(found[2], expected[2])


def routings():
    x, index = torch.randn(6, 8, dtype=torch.float16), torch.stack([torch.randperm(5)[:2] for _ in range(6)]).int()
    flat = index.flatten()
    order = torch.argsort(flat, stable=True)
    rows, where, counts, _ = torch_npu.npu_moe_init_routing_v2(
        x.npu(), index.npu(), active_num=12, expert_num=5, expert_tokens_num_type=1, expert_tokens_num_flag=True,
        quant_mode=-1, active_expert_range=[0, 5], row_idx_type=0)
    assert torch.equal(rows.cpu(), x[order // 2])
    assert torch.equal(where.cpu(), torch.argsort(order).int())
    assert torch.equal(counts.cpu(), torch.bincount(flat, minlength=5))
    rows, where, counts, scale = torch_npu.npu_moe_init_routing_v2(
        x.npu(), index.npu(), active_num=12, expert_num=5, expert_tokens_num_type=1, expert_tokens_num_flag=True,
        quant_mode=1, active_expert_range=[1, 4], row_idx_type=0)
    inside = order[(flat[order] >= 1) & (flat[order] < 4)]
    tokens = x[inside // 2].float()
    size = tokens.abs().amax(-1) / 127
    near(scale[: len(inside)], size, 1e-6)
    assert torch.equal(rows.cpu()[: len(inside)], (tokens / size[:, None]).round().clamp(-128, 127).to(torch.int8))
    assert (where.cpu()[(flat < 1) | (flat >= 4)] == -1).all()
    y, chosen, numbers = torch_npu.npu_moe_gating_top_k_softmax(torch.randn(6, 5).npu(), k=2)
    rows, where, experts = torch_npu.npu_moe_init_routing(x.npu(), numbers, chosen, 6)
    assert torch.equal(experts.cpu(), chosen.cpu().flatten().sort(stable=True).values)
    assert torch.equal(rows.cpu()[where.cpu().long()], x.repeat(2, 1))


def back():
    x, index = torch.randn(6, 8), torch.stack([torch.randperm(5)[:2] for _ in range(6)]).int()
    scales, bias, skip = torch.rand(6, 2), torch.randn(5, 8), torch.randn(6, 8)
    rows, where, _, _ = torch_npu.npu_moe_init_routing_v2(x.npu(), index.npu(), active_num=12, expert_num=5,
                                                          expert_tokens_num_flag=True, expert_tokens_num_type=1)
    found = torch_npu.npu_moe_finalize_routing(rows, skip.npu(), None, bias.npu(), scales.npu(), where, index.npu(), drop_pad_mode=2)
    near(found, skip + (scales[..., None] * (x[:, None] + bias[index.long()])).sum(1), 1e-5)
    found = torch_npu.npu_moe_finalize_routing(rows, None, None, None, scales.npu(), where, None, drop_pad_mode=2)
    near(found, scales.sum(1, keepdim=True) * x, 1e-5)


def numbers():
    sorted_experts = torch.tensor([0, 0, 0, 1, 1, 2], dtype=torch.int32)
    assert torch_npu.npu_moe_compute_expert_tokens(sorted_experts.npu(), 3).cpu().tolist() == [3, 5, 6]
    if not hasattr(torch_npu, "npu_moe_re_routing"):  # of newer wheels, as what follows
        return
    tokens, counts, scales = torch.randn(6, 4, dtype=torch.float16), torch.tensor([[1, 2], [2, 1]]), torch.rand(6)
    rows, moved, index, totals = torch_npu.npu_moe_re_routing(tokens.npu(), counts.npu(), per_token_scales=scales.npu())
    assert index.cpu().tolist() == [0, 3, 4, 1, 2, 5] and totals.cpu().tolist() == [3, 3]
    assert torch.equal(rows.cpu(), tokens[index.cpu().long()]) and torch.equal(moved.cpu(), scales[index.cpu().long()])
    if hasattr(torch_npu, "npu_moe_update_expert"):
        table = torch.tensor([[1, 5, 0], [2, 3, 4]], dtype=torch.int32)
        ids = torch.tensor([[0, 1], [1, 0], [1, 1]], dtype=torch.int32)
        balanced, _ = torch_npu.npu_moe_update_expert(ids.npu(), table.npu(), local_rank_id=1, world_size=2, balance_mode=0)
        assert balanced.cpu().tolist() == [[5, 4], [4, 5], [4, 4]]
        balanced, _ = torch_npu.npu_moe_update_expert(ids.npu(), table.npu(), balance_mode=1)
        assert balanced.cpu().tolist() == [[5, 3], [4, 5], [3, 3]]


def maps():
    if not hasattr(torch_npu, "npu_moe_token_permute_with_routing_map"):
        return
    for pads in (False, True):
        routing = torch.zeros(6, 4, dtype=torch.bool).scatter_(1, torch.rand(6, 4).topk(2).indices, True)
        tokens, probs = torch.randn(6, 8), torch.rand(6, 4)
        order = routing.T.to(torch.int8).argsort(dim=-1, descending=True, stable=True)[:, :3] if pads else None
        source = order.reshape(-1) if pads else torch.arange(6).expand(4, 6).masked_select(routing.T)
        expert = torch.arange(4).repeat_interleave(3) if pads else torch.arange(4)[:, None].expand(4, 6).masked_select(routing.T)
        leaf, weights = tokens.npu().requires_grad_(), probs.npu().requires_grad_()
        rows, chosen, where = torch_npu.npu_moe_token_permute_with_routing_map(
            leaf, routing.npu(), probs=weights, num_out_tokens=12, drop_and_pad=pads)
        assert torch.equal(rows.cpu(), tokens[source]) and torch.equal(chosen.cpu(), probs[source, expert])
        grad, grad_probs = torch.randn(12, 8), torch.randn(12)
        (rows * grad.npu()).sum().add((chosen * grad_probs.npu()).sum()).backward()
        near(leaf.grad, torch.zeros(6, 8).index_add_(0, source, grad), 1e-5)
        near(weights.grad, torch.zeros(6, 4).index_put_((source, expert), grad_probs), 1e-6)
        leaf, weights = tokens[source].npu().requires_grad_(), probs.npu().requires_grad_()
        out = torch_npu.npu_moe_token_unpermute_with_routing_map(
            leaf, where, [6, 8], probs=weights, routing_map=routing.npu(), drop_and_pad=pads)
        near(out, torch.zeros(6, 8).index_add_(0, source, tokens[source] * probs[source, expert][:, None]), 1e-5)
        grad = torch.randn(6, 8)
        out.backward(grad.npu())
        near(leaf.grad, grad[source] * probs[source, expert][:, None], 1e-5)
        near(weights.grad, torch.zeros(6, 4).index_put_((source, expert), (tokens * grad).sum(-1)[source]), 1e-4)


gates()
routings()
back()
numbers()
maps()
