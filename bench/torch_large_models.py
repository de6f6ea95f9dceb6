# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What serving large models spends its time on: torch_npu's functions beside what PyTorch composes of its own on the CPU.

    scripts/bench.sh --torch-npu --sections large

Each row is a name, the function on the device, the composition in the float form of the same numbers, and the tensors. The
two are compared before they are timed; printed are the times of both and how many times as long the device takes.
"""
import torch
from torch.nn import functional

TOKENS, WIDTH, EXPERTS, CHOSEN, HEADS, DEPTH, BLOCK = 256, 512, 8, 2, 8, 64, 128


def grouped(x, weight, ends):
    import torch_npu
    return torch_npu.npu_grouped_matmul([x], [weight], group_list=ends, split_item=3, group_type=0, group_list_type=0)[0]


def grouped_here(x, weight, ends):
    first, parts = 0, []
    for expert, last in enumerate(ends.tolist()):
        parts.append(x[first:last] @ weight[expert])
        first = last
    return torch.cat(parts)


def route(x, logits):
    import torch_npu
    weights, experts, _ = torch_npu.npu_moe_gating_top_k_softmax(logits, k=CHOSEN)
    rows, places, _, _ = torch_npu.npu_moe_init_routing_v2(
        x, experts, active_num=TOKENS * CHOSEN, expert_num=EXPERTS, expert_tokens_num_type=1, expert_tokens_num_flag=True,
        active_expert_range=[0, EXPERTS], quant_mode=-1)
    return torch_npu.npu_moe_finalize_routing(rows, None, None, None, weights, places, None, drop_pad_mode=2)


def route_here(x, logits):
    weights, experts = logits.float().softmax(-1).topk(CHOSEN)
    flat = experts.flatten()
    order = flat.argsort(stable=True)
    rows = x[order // CHOSEN]
    places = torch.empty_like(order).scatter_(0, order, torch.arange(len(order)))
    return (rows[places].view(TOKENS, CHOSEN, -1) * weights[..., None]).sum(1).to(x.dtype)


def quantised(x, weight, scale, row_scale):
    import torch_npu
    return torch_npu.npu_quant_matmul(x, weight, scale, pertoken_scale=row_scale, output_dtype=torch.bfloat16)


def quantised_here(x, weight, scale, row_scale):
    return ((x.float() @ weight.float()) * scale * row_scale[:, None]).bfloat16()


def paged(query, key, value, table, lengths):
    import torch_npu
    found, _ = torch_npu.npu_fused_infer_attention_score(
        query, key, value, num_heads=HEADS, num_key_value_heads=HEADS, input_layout="BSND", scale=DEPTH**-0.5, block_table=table,
        block_size=BLOCK, actual_seq_lengths_kv=lengths)
    return found


def paged_here(query, key, value, table, lengths):
    made = []
    for row, length in enumerate(lengths):
        own = [cache[table[row].long()].view(-1, HEADS, DEPTH)[:length].transpose(0, 1)[None] for cache in (key, value)]
        made.append(functional.scaled_dot_product_attention(query[row : row + 1].transpose(1, 2), *own).transpose(1, 2))
    return torch.cat(made)


def rotate(x, cosine, sine):
    import torch_npu
    return torch_npu.npu_rotary_mul(x, cosine, sine)


def rotate_here(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat((-second, first), -1) * sine


def quantise(x):
    import torch_npu
    numbers, scale = torch_npu.npu_dynamic_quant(x)
    return numbers.float() * scale[..., None]


def quantise_here(x):
    scale = x.float().abs().amax(-1, keepdim=True) / 127
    return (x.float() / scale).round() * scale


def norm(x, residual, gamma):
    import torch_npu
    return torch_npu.npu_add_rms_norm(x, residual, gamma, 1e-6)[0]


def norm_here(x, residual, gamma):
    return functional.rms_norm((x + residual), (WIDTH,), gamma, 1e-6)


def rows():
    """name, the device's function, the CPU's, tensors, and how far apart they may be."""
    x = torch.randn(TOKENS, WIDTH).bfloat16()
    ends = torch.arange(1, EXPERTS + 1) * (TOKENS // EXPERTS)
    yield "grouped matmul", grouped, grouped_here, (x, torch.randn(EXPERTS, WIDTH, WIDTH).bfloat16() / 20, ends), 5e-2
    yield "route to experts and back", route, route_here, (x, torch.randn(TOKENS, EXPERTS).bfloat16()), 5e-2
    numbers = [torch.randint(-128, 128, size, dtype=torch.int8) for size in ((TOKENS, WIDTH), (WIDTH, WIDTH))]
    yield "INT8 matmul with scales", quantised, quantised_here, (*numbers, torch.rand(WIDTH) / 1e3, torch.rand(TOKENS)), 5e-2
    cache = [torch.randn(32, BLOCK, HEADS * DEPTH).half() for _ in range(2)]
    table, lengths = torch.arange(32, dtype=torch.int32).view(8, 4), [500, 130, 257, 512, 64, 384, 300, 1]
    yield "paged attention, 8 rows", paged, paged_here, (torch.randn(8, 1, HEADS, DEPTH).half(), *cache, table, lengths), 1e-2
    angles = torch.rand(1, TOKENS, 1, DEPTH)
    yield "rotary", rotate, rotate_here, (torch.randn(1, TOKENS, HEADS, DEPTH).half(), angles.cos().half(), angles.sin().half()), 1e-2
    yield "quantise rows", quantise, quantise_here, (x,), 5e-2
    yield "add and rms_norm", norm, norm_here, (x, torch.randn(TOKENS, WIDTH).bfloat16(), torch.ones(WIDTH).bfloat16()), 5e-2


def moved(tensors):
    return tuple(one.npu() if isinstance(one, torch.Tensor) else one for one in tensors)


def large(row, turns):
    """Prints the rows by means of `row`."""
    print(f"\n{'of a large model, us':28} {'cpu':>9} {'npu':>9} {'times':>7}")
    for name, there, here, tensors, apart in rows():
        near = moved(tensors)
        torch.testing.assert_close(there(*near).cpu().float(), here(*tensors).float(), rtol=apart, atol=apart)
        row(name, {"cpu": lambda f=here, t=tensors: f(*t), "npu": lambda f=there, t=near: f(*t)}, turns, 0.02, "us")
