# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Forms of torch_npu's functions for graphs that give back what others write in place, and gradients of large models'
functions by their names: beside PyTorch on the CPU, and beside the forms that write."""

import os

import torch
import torch_npu

NPU = torch.ops.npu
A5 = "950" in os.environ.get("BELAY_SOC", "")
torch.manual_seed(35)


def near(found, wanted, what="", tolerance=1e-4):
    for i, (one, other) in enumerate(zip(found, wanted, strict=True)):
        one, other = one.detach().cpu().double(), other.detach().double()
        assert one.shape == other.shape, (what, i, one.shape, other.shape)
        assert torch.allclose(one, other, rtol=tolerance, atol=tolerance), (what, i, (one - other).abs().max())


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def on(*inputs):
    return [x.detach().npu() for x in inputs]


def functional(form, writing, inputs, written, **how):
    """The form that writes, and the one that does not: results equal, and what was given is left as it was. What is
    written are the places of it in the inputs."""
    given = [x.clone() for x in inputs]
    results = writing(*given, **how)
    results = list(results) if isinstance(results, tuple) else [results]
    found = form(*inputs, **how)
    for one, other in zip(found, [*results, *[given[i] for i in written]], strict=True):
        assert torch.equal(one.cpu(), other.cpu())
    for i in written:
        assert not torch.equal(inputs[i].cpu(), given[i].cpu()), f"input {i} was to be written"


def attention():
    """The gradients that the forward function's own statistics serve for."""
    q, k, v = leaf(2, 7, 4, 16), leaf(2, 9, 4, 16), leaf(2, 9, 4, 16)
    heads = [x.transpose(1, 2) for x in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*heads, scale=0.25).transpose(1, 2)
    grad = torch.randn_like(out)
    wanted = torch.autograd.grad(out, (q, k, v), grad)
    inputs = on(q, k, v)
    for forward, backward in (
        (NPU.npu_fusion_attention, NPU.npu_fusion_attention_grad),
        (NPU.npu_fusion_attention_v2, NPU.npu_fusion_attention_grad_v2),
        (NPU.npu_fusion_attention_v3, NPU.npu_fusion_attention_grad_v3),
    ):
        if A5 and forward is not NPU.npu_fusion_attention_v2:
            continue  # torch_npu itself refuses it there
        got, most, total, soft, seed, offset, *numels = forward(*inputs, 4, "BSND", scale=0.25)
        near([got], [out])
        how = dict(softmax_max=most, softmax_sum=total, softmax_in=soft, attention_in=got, scale_value=0.25)
        how.update(seed=seed, offset=offset, **(dict(numels=numels[0]) if numels else {}))
        near(backward(*inputs, grad.npu(), 4, "BSND", **how)[:3], wanted, str(backward), 1e-3)


def layer_norm():
    x, y, weight, bias = leaf(4, 24), leaf(4, 24), leaf(24), leaf(24)
    total = x + y
    out = torch.nn.functional.layer_norm(total, (24,), weight, bias)
    grad, more = torch.randn(4, 24), torch.randn(4, 24)
    of_x, of_weight, of_bias = torch.autograd.grad((out, total), (x, weight, bias), (grad, more))
    mean = total.mean(-1, keepdim=True)
    rstd = torch.rsqrt(total.var(-1, correction=0, keepdim=True) + 1e-5)
    found = NPU.npu_add_layer_norm_backward(grad.npu(), *on(x, y, rstd, mean, weight), more.npu())
    near(found, [of_x, of_x, of_weight, of_bias], "", 1e-3)


def routed():
    """Tokens by a map of experts: rows in the order of experts, and their sums back at the tokens."""
    tokens, probs = leaf(6, 8), torch.rand(6, 4, requires_grad=True)
    routing = torch.tensor([[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1]]).bool()
    token, expert = routing.t().nonzero()[:, 1], routing.t().nonzero()[:, 0]
    rows, chosen = tokens[token], probs[token, expert]
    _, _, where = NPU.npu_moe_token_permute_with_routing_map(
        tokens.detach().npu(), routing.npu(), probs=probs.detach().npu(), num_out_tokens=12
    )
    grad, grad_chosen = torch.randn(12, 8), torch.randn(12)
    wanted = torch.autograd.grad((rows, chosen), (tokens, probs), (grad, grad_chosen))
    found = NPU.npu_moe_token_permute_with_routing_map_grad(
        grad.npu(), grad_chosen.npu(), where, routing.npu(), 4, 6, False
    )
    near(found, wanted, "permute")
    some = leaf(12, 8)
    out = torch.zeros(6, 8).index_add(0, token, some * probs[token, expert][:, None])
    how = dict(probs=probs.detach().npu(), routing_map=routing.npu(), drop_and_pad=False)
    found = NPU._npu_moe_token_unpermute_with_routing_map(some.detach().npu(), where, [6, 8], **how)
    near(found[:1], [out], "unpermute")
    grad = torch.randn(6, 8)
    wanted = torch.autograd.grad(out, (some, probs), grad)
    _, out_index, token_id, _ = found
    found = NPU.npu_moe_token_unpermute_with_routing_map_grad(
        grad.npu(), out_index, token_id, routing.npu(), some.detach().npu(), probs.detach().npu(), False, [6, 8]
    )
    near(found, wanted, "unpermute")


def latent_rows():
    kv, gamma = torch.randn(5, 1, 1, 96, dtype=torch.bfloat16), torch.randn(64, dtype=torch.bfloat16)
    c, s = torch.randn(5, 1, 1, 32, dtype=torch.bfloat16), torch.randn(5, 1, 1, 32, dtype=torch.bfloat16)
    index = torch.tensor([3, 0, -1, 7, 5])
    caches = [torch.zeros(2, 4, 1, n, dtype=torch.bfloat16) for n in (32, 64)]
    inputs, how = on(kv, gamma, c, s, index, *caches), dict(epsilon=1e-6, cache_mode="PA", is_output_kv=True)
    written = [x.clone() for x in inputs]
    torch_npu.npu_kv_rmsnorm_rope_cache(*written, **how)
    functional(
        NPU.npu_kv_rmsnorm_rope_cache_v2_functional, NPU.npu_kv_rmsnorm_rope_cache_v2, inputs, (5, 6), **how
    )
    again = [x.clone() for x in inputs]
    NPU.npu_kv_rmsnorm_rope_cache_v2(*again, **how)
    assert torch.equal(again[5].cpu(), written[5].cpu()) and torch.equal(again[6].cpu(), written[6].cpu())


def heads_of_one_product():
    tokens, size, heads = 5, 16, (4, 2, 2)
    qkv, gammas = torch.randn(tokens, 8 * size).half(), [torch.rand(size).half() + 0.5 for _ in range(2)]
    c, s, index = torch.randn(tokens, size).half(), torch.randn(tokens, size).half(), torch.tensor([3, 0, -1, 7, 5])
    q_out = torch.zeros(tokens, 4 * size).half()
    caches = [torch.zeros(2, 2 * size // 16, 4, 16).half() for _ in range(2)]
    inputs = on(qkv, *gammas, c, s, index, q_out, *caches)
    how = dict(qkv_size=[1, tokens, 8, size], head_nums=heads)
    given = [x.clone() for x in inputs]
    NPU.npu_qkv_rms_norm_rope_cache(*given, **how)
    x = qkv.double().view(tokens, 8, size)

    def turned(x, gamma):
        x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gamma.double()
        a, b = x.chunk(2, -1)
        return x * c.double()[:, None] + torch.cat([-b, a], -1) * s.double()[:, None]

    near([given[6].view(tokens, 4, size)], [turned(x[:, :4], gammas[0])], "queries", 1e-2)
    for cache, rows in zip(given[7:], (turned(x[:, 4:6], gammas[1]), x[:, 6:])):
        flat = cache.cpu().permute(0, 2, 1, 3).reshape(8, 2, size)
        near([flat[index[index >= 0]]], [rows[index >= 0]], "a cache", 1e-2)
    found = NPU.npu_qkv_rms_norm_rope_cache_functional(*inputs, **how)
    for one, other in zip(found[-3:], given[6:], strict=True):
        assert torch.equal(one.cpu(), other.cpu())
    assert not any(x.cpu().any() for x in inputs[6:])


def delta_rule():
    lengths = torch.tensor([2, 3], dtype=torch.int32)
    q, k = torch.randn(5, 2, 8).bfloat16(), torch.nn.functional.normalize(torch.randn(5, 2, 8), dim=-1).bfloat16()
    v, state = torch.randn(5, 4, 8).bfloat16(), torch.randn(6, 4, 8, 8).bfloat16()
    beta, gate = torch.rand(5, 4).bfloat16(), -torch.rand(5, 4)
    index = torch.tensor([0, 1, 3, 4, 5], dtype=torch.int32)
    how = dict(scale=0.5, beta=beta.npu(), g=gate.npu(), actual_seq_lengths=lengths.npu(), ssm_state_indices=index.npu())
    functional(
        NPU.npu_recurrent_gated_delta_rule_functional, NPU.npu_recurrent_gated_delta_rule, on(q, k, v, state), (3,), **how
    )


def experts_in_bytes():
    x, chosen = torch.randn(6, 8), torch.tensor([[1, 0], [3, 1], [2, 0], [0, 3], [1, 2], [3, 0]], dtype=torch.int32)
    order = chosen.flatten().sort(stable=True)[1]
    rows = x[order // 2].double()
    scale = rows.abs().amax(-1) / 127
    out, places, counts, _, scales = NPU.npu_moe_init_routing_quant(
        x.npu(), chosen.npu(), active_num=12, expert_num=4, expert_tokens_num_mode=2, quant_mode=1
    )
    near([scales.flatten()], [scale])
    assert ((out.cpu().double() - torch.round(rows / scale[:, None])).abs() <= 1).all()
    assert torch.equal(places.cpu().long(), order.argsort()) and counts.cpu().tolist() == [4, 3, 2, 3]


def prolog():
    """Version 3's form for graphs beside the one that writes, which latent.py compares."""
    tokens, width, latent, heads, depth, turned, kept = 5, 64, 32, 2, 16, 32, 32
    shapes = ((tokens, width), (width, latent), (latent, heads * (depth + turned)), (heads, depth, kept))
    x, down, up, keys = (torch.randn(shape) / 4 for shape in shapes)
    keep, gammas = torch.randn(width, kept + turned) / 8, [torch.rand(latent), torch.rand(kept)]
    turns = [torch.randn(tokens, turned) for _ in range(2)]
    caches = [torch.zeros(2, 4, 1, n) for n in (kept, turned)]
    inputs = on(*(t.bfloat16() for t in (x, down, up, keys, keep, *gammas, *turns, *caches)))
    for i in (1, 2, 4):
        inputs[i] = torch_npu.npu_format_cast(inputs[i], 29)
    given = [*inputs[:9], *[c.clone() for c in inputs[9:]]]
    slots = torch.tensor([6, 1, 2, -1, 3]).npu()
    wanted = [*NPU.npu_mla_prolog_v3(*given, cache_index=slots, query_norm_flag=True), *given[9:]]
    found = NPU.npu_mla_prolog_v3_functional(*inputs, cache_index=slots, query_norm_flag=True)
    for one, other in zip(found, wanted, strict=True):
        assert torch.equal(one.cpu(), other.cpu())
    assert given[9].cpu().any() and not inputs[9].cpu().any()


if __name__ == "__main__":
    for function in (
        attention, layer_norm, routed, latent_rows, heads_of_one_product, delta_rule, experts_in_bytes, prolog,
    ):
        function()
        torch.npu.synchronize()
