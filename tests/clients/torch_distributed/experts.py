# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Operators that meet other ranks: products around collectives, and tokens to their experts and back."""
import os

import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, numbers, of_all, put, run

if IS_HCCL:
    import torch_npu


def group():
    """What the operators know the group by."""
    backend = dist.distributed_c10d._get_default_group()._get_backend(torch.device(DEVICE))
    return backend.get_hccl_comm_name(RANK)


def matrices(rows, columns, dtype, salt):
    return [part.reshape(rows, columns) for part in of_all(rows * columns, dtype, salt)]


def products():
    for dtype in (torch.float16, torch.bfloat16):
        x, weights = matrices(4 * SIZE, 24, dtype, 1), matrices(24, 16, dtype, 2)
        bias = numbers(0, 16, dtype, 3)
        whole = sum(a.double() @ b.double() + bias.double() for a, b in zip(x, weights))
        found = torch_npu.npu_mm_all_reduce_base(put(x[RANK]), put(weights[RANK]), group(), bias=put(bias))
        expect(f"mm_all_reduce {dtype}", found, whole.to(dtype), 1e-2)
        x3 = matrices(4 * SIZE, 16, dtype, 4)
        found = torch_npu.npu_mm_all_reduce_base(put(x[RANK]), put(weights[RANK]), group(), x3=put(x3[RANK]))
        expect(f"mm_all_reduce with x3 {dtype}", found,
               sum(a.double() @ b.double() + c.double() for a, b, c in zip(x, weights, x3)).to(dtype), 1e-2)
        found, gathered = torch_npu.npu_all_gather_base_mm(put(x[RANK]), put(weights[RANK]), group(), SIZE, bias=put(bias))
        expect(f"all_gather_mm {dtype}", found, (torch.cat(x).double() @ weights[RANK].double() + bias.double()).to(dtype), 1e-2)
        expect(f"all_gather_mm gathers {dtype}", gathered, torch.cat(x))
        found = torch_npu.npu_mm_reduce_scatter_base(put(x[RANK]), put(weights[RANK]).t().contiguous().t(), group(), SIZE)
        expect(f"mm_reduce_scatter {dtype}", found,
               sum(a.double() @ b.double() for a, b in zip(x, weights))[RANK * 4:RANK * 4 + 4].to(dtype), 1e-2)


def quantised_sums():
    """Products of INT8 with scales that all ranks add up, which may be INT8 on their way; scales are powers of two."""
    draw = [torch.Generator().manual_seed(70 + rank) for rank in range(SIZE)]
    x = [torch.randint(-20, 20, (6, 24), generator=own, dtype=torch.int8) for own in draw]
    weights = [torch.randint(-20, 20, (24, 16), generator=own, dtype=torch.int8) for own in draw]
    bias, x3 = torch.randint(-50, 50, (16,), dtype=torch.int32, generator=draw[0]), torch.arange(96.).reshape(6, 16) / 4
    columns, rows = 2.0 ** (torch.arange(16) % 4 - 7), 2.0 ** (torch.arange(6.) % 3 - 2)
    sums = [(a.double() @ b.double() + bias.double()) * columns.double() for a, b in zip(x, weights)]
    own = put(x[RANK]), put(weights[RANK]), group()
    found = torch_npu.npu_mm_all_reduce_base(*own, bias=put(bias), dequant_scale=put(columns.bfloat16()))
    expect("quantised mm_all_reduce", found, sum(sums).bfloat16(), 1e-2)
    scaled = [part * rows.double()[:, None] + x3.double() for part in sums]
    named = dict(bias=put(bias), x3=put(x3.half()), dequant_scale=put(columns), pertoken_scale=put(rows))
    expect("quantised mm_all_reduce by rows", torch_npu.npu_mm_all_reduce_base(*own, **named), sum(scaled).half(), 1e-2)
    first, second = torch.full((16,), 0.5).half(), torch.full((16,), 1.0).half()
    whole = sum(torch.clamp(torch.round(part / 0.5), -128, 127) for part in scaled)
    found = torch_npu.npu_mm_all_reduce_base(*own, **named, comm_quant_scale_1=put(first), comm_quant_scale_2=put(second))
    expect("quantised mm_all_reduce of INT8", found, torch.clamp(torch.round(whole * 0.5), -128, 127).half())


def sums_of_whole_weights():
    """Products of floats by weights of INT8 that all ranks add up, with scales for columns and for groups of the common dim."""
    draw = [torch.Generator().manual_seed(90 + rank) for rank in range(SIZE)]
    x = [torch.randint(-4, 5, (6, 64), generator=own).half() for own in draw]
    weights = [torch.randint(-20, 20, (64, 16), generator=own, dtype=torch.int8) for own in draw]
    offset, x3 = torch.arange(16.).half() % 5 - 2, (torch.arange(96.).reshape(6, 16) / 4).half()
    columns, groups = (2.0 ** (torch.arange(16) % 4 - 7)).half(), (2.0 ** (torch.arange(32).reshape(2, 16) % 5 - 8)).half()
    own = put(x[RANK]), put(weights[RANK]), group()
    found = torch_npu.npu_mm_all_reduce_base(*own, antiquant_scale=put(columns), antiquant_offset=put(offset), x3=put(x3))
    wanted = sum(a.double() @ ((w.double() + offset.double()) * columns.double()) + x3.double() for a, w in zip(x, weights))
    expect("mm_all_reduce by weights of INT8", found, wanted.half(), 1e-2)
    found = torch_npu.npu_mm_all_reduce_base(*own, antiquant_scale=put(groups), antiquant_group_size=32)
    wanted = sum(a.double() @ (w.double() * groups.double().repeat_interleave(32, 0)) for a, w in zip(x, weights))
    expect("mm_all_reduce by weights of INT8 in groups", found, wanted.half(), 1e-2)


def exchanges():
    """Products before and after parts go to all ranks, of floats and of INT8 with scales."""
    if not hasattr(torch_npu, "npu_all_to_all_matmul"):
        return
    tokens, width, columns = 2 * SIZE, 6, 4 * SIZE
    part = slice(RANK * 2, RANK * 2 + 2)
    for dtype in (torch.float16, torch.bfloat16):
        x, there, back = matrices(tokens, width, dtype, 11), matrices(width * SIZE, columns, dtype, 12), matrices(width, columns, dtype, 13)
        permuted = torch.cat([own[part] for own in x], 1)
        found, moved = torch_npu.npu_all_to_all_matmul(put(x[RANK]), put(there[RANK]), group(), SIZE)
        expect(f"all_to_all_matmul {dtype}", found, (permuted.double() @ there[RANK].double()).to(dtype), 1e-2)
        expect(f"all_to_all_matmul moves {dtype}", moved, permuted)
        found = torch_npu.npu_matmul_all_to_all(put(x[RANK]), put(back[RANK]), group(), SIZE)
        wanted = torch.cat([(a.double() @ b.double())[:, RANK * 4:RANK * 4 + 4] for a, b in zip(x, back)])
        expect(f"matmul_all_to_all {dtype}", found, wanted.to(dtype), 1e-2)
    draw = [torch.Generator().manual_seed(40 + rank) for rank in range(SIZE)]
    x = [torch.randint(-127, 128, (tokens, width), generator=own, dtype=torch.int8) for own in draw]
    there = [torch.randint(-127, 128, (width * SIZE, columns), generator=own, dtype=torch.int8) for own in draw]
    back = [torch.randint(-127, 128, (width, columns), generator=own, dtype=torch.int8) for own in draw]
    rows, by = [torch.rand(tokens, generator=own) for own in draw], [torch.rand(columns, generator=own) / 1e3 for own in draw]
    scaled = [a.double() * b.double()[:, None] for a, b in zip(x, rows)]
    modes = dict(x1_quant_mode=3, x2_quant_mode=2, y_dtype=5)
    found, moved = torch_npu.npu_all_to_all_quant_matmul(
        put(x[RANK]), put(there[RANK]), group(), SIZE, x1_scale=put(rows[RANK]), x2_scale=put(by[RANK]), **modes)
    wanted = torch.cat([own[part] for own in scaled], 1) @ there[RANK].double() * by[RANK].double()
    expect("all_to_all_quant_matmul", found, wanted.half(), 1e-2)
    expect("all_to_all_quant_matmul moves", moved, torch.cat([own[part] for own in x], 1))
    found = torch_npu.npu_quant_matmul_all_to_all(
        put(x[RANK]), put(back[RANK]), group(), SIZE, x1_scale=put(rows[RANK]), x2_scale=put(by[RANK]), **modes)
    wanted = torch.cat([(a @ b.double() * c.double())[:, RANK * 4:RANK * 4 + 4] for a, b, c in zip(scaled, back, by)])
    expect("quant_matmul_all_to_all", found, wanted.half(), 1e-2)


def journeys():
    """Rows to the experts of other ranks and back, as MindSpeed overlaps them."""
    if not hasattr(torch_npu, "npu_alltoallv_gmm"):
        return
    each, width, columns = 2, 8, 6
    counts = [torch.randint(0, 4, (SIZE, each), generator=torch.Generator().manual_seed(60 + rank)) for rank in range(SIZE)]
    x = [numbers(rank, max(int(own.sum()), 1) * width, torch.float16).reshape(-1, width)[:int(own.sum())] for rank, own in enumerate(counts)]
    weight = [numbers(10 + rank, each * width * columns, torch.float16).reshape(each, width, columns) for rank in range(SIZE)]
    sends, receives = counts[RANK].flatten().tolist(), torch.stack([own[RANK] for own in counts]).flatten().tolist()
    pieces = [[list(x[rank].split(own.flatten().tolist()))[to * each + j] for to in range(SIZE) for j in range(each)] for rank, own in enumerate(counts)]
    permuted = torch.cat([pieces[rank][RANK * each + j] for j in range(each) for rank in range(SIZE)])
    made = torch.cat([pieces[rank][RANK * each + j].double() @ weight[RANK][j].double() for j in range(each) for rank in range(SIZE)])
    found, _, moved = torch_npu.npu_alltoallv_gmm(put(x[RANK]), put(weight[RANK]), group(), SIZE, sends, receives, permute_out_flag=True)
    expect("alltoallv_gmm", found, made.half(), 1e-2)
    expect("alltoallv_gmm moves", moved, permuted)
    found, _ = torch_npu.npu_gmm_alltoallv(moved, put(weight[RANK]), group(), SIZE, receives, sends)
    wanted = [pieces[RANK][to * each + j].double() @ weight[to][j].double() for to in range(SIZE) for j in range(each)]
    expect("gmm_alltoallv", found, torch.cat(wanted).half(), 1e-2)


def quantised_journeys():
    """The same of HIFLOAT8, whose codes are bytes, with a scale for the rows of a rank and one for its weights."""
    if not os.environ.get("BELAY_SOC", "").startswith("Ascend950") or not hasattr(torch_npu, "npu_alltoallv_quant_gmm"):
        return
    each, width, columns, hifloat8 = 2, 40, 6, 290
    draw = [torch.Generator().manual_seed(110 + rank) for rank in range(SIZE)]
    codes = torch.tensor([0x08, 0x88, 0x09, 0x89, 0x00, 0x0C, 0x0E, 0x8A], dtype=torch.uint8)
    worth = torch.tensor([1, -1, 1.125, -1.125, 0, 1.5, 1.75, -1.25], dtype=torch.float64)
    counts = [torch.randint(0, 4, (SIZE, each), generator=own) for own in draw]
    x = [torch.randint(0, 8, (int(own.sum()), width), generator=one) for own, one in zip(counts, draw)]
    weight = [torch.randint(0, 8, (each, width, columns), generator=own) for own in draw]
    shared = [(torch.randint(0, 8, (3, width), generator=own), torch.randint(0, 8, (width, columns), generator=own)) for own in draw]
    scales = [torch.rand(4, generator=own) + 0.5 for own in draw]
    sends, receives = counts[RANK].flatten().tolist(), torch.stack([own[RANK] for own in counts]).flatten().tolist()
    pieces = [list((worth[x[rank]] * scales[rank][0].double()).split(own.flatten().tolist())) for rank, own in enumerate(counts)]
    own, rest = scales[RANK], dict(
        mm_x=put(codes[shared[RANK][0]]), mm_weight=put(codes[shared[RANK][1]]), mm_x_scale=put(scales[RANK][2:3]),
        mm_weight_scale=put(scales[RANK][3:4]), gmm_x_quant_mode=1, gmm_weight_quant_mode=1, mm_x_quant_mode=1, mm_weight_quant_mode=1,
        gmm_x_dtype=hifloat8, gmm_weight_dtype=hifloat8, mm_x_dtype=hifloat8, mm_weight_dtype=hifloat8, mm_y_dtype=5)
    named = put(codes[x[RANK]]), put(codes[weight[RANK]]), put(own[:1]), put(own[1:2]), group(), SIZE
    found, beside, moved = torch_npu.npu_alltoallv_quant_gmm(*named, sends, receives, 5, permute_out_flag=True, **rest)
    weights = [worth[weight[rank]] * scales[rank][1].double() for rank in range(SIZE)]
    made = [pieces[rank][RANK * each + j] @ weights[RANK][j] for j in range(each) for rank in range(SIZE)]
    expect("alltoallv_quant_gmm", found, torch.cat(made).half(), 1e-2)
    rows = [list(codes[x[rank]].split(one.flatten().tolist())) for rank, one in enumerate(counts)]
    expect("alltoallv_quant_gmm moves", moved, torch.cat([rows[rank][RANK * each + j] for j in range(each) for rank in range(SIZE)]))
    product = worth[shared[RANK][0]] @ worth[shared[RANK][1]] * (own[2] * own[3]).double()
    expect("alltoallv_quant_gmm beside", beside, product.half(), 1e-2)
    back = [torch.randint(0, 8, (int(torch.stack([one[rank] for one in counts]).sum()), width), generator=draw[0]) for rank in range(SIZE)]
    found, _ = torch_npu.npu_quant_gmm_alltoallv(put(codes[back[RANK]]), *named[1:], receives, sends, 5, **rest)
    whole = []
    for to in range(SIZE):
        sizes = [int(counts[source][to, j]) for j in range(each) for source in range(SIZE)]
        whole.append((worth[back[to]] * scales[to][0].double()).split(sizes))
    wanted = [whole[to][j * SIZE + RANK] @ weights[to][j] for to in range(SIZE) for j in range(each)]
    expect("quant_gmm_alltoallv", found, torch.cat(wanted).half(), 1e-2)


def experts():
    """The way of vllm-ascend: dispatch, what each expert makes of its rows, combine. An expert multiplies by its number."""
    if not hasattr(torch_npu, "npu_moe_distribute_dispatch_v2"):
        return
    tokens, width, top_k, count = 5, 32, min(2, SIZE * 2), 2 * SIZE
    for quant in (0, 2):
        x = matrices(tokens, width, torch.bfloat16, 5)
        ids = [torch.stack([torch.randperm(count, generator=torch.Generator().manual_seed(rank * 100 + t))[:top_k] for t in range(tokens)]).int()
               for rank in range(SIZE)]
        weights = [torch.rand(tokens, top_k, generator=torch.Generator().manual_seed(rank)) for rank in range(SIZE)]
        place = dict(group_ep=group(), ep_world_size=SIZE, ep_rank_id=RANK, moe_expert_num=count, global_bs=tokens * SIZE)
        rows, scales, assist, each, received, tp_received, row_weights = torch_npu.npu_moe_distribute_dispatch_v2(
            put(x[RANK]), put(ids[RANK]), expert_scales=put(weights[RANK]), quant_mode=quant, **place)
        wanted = [x[source][token] for expert in (2 * RANK, 2 * RANK + 1) for source in range(SIZE) for token in range(tokens)
                  if expert in ids[source][token]]
        counts = [sum((part == expert).sum().item() for part in ids) for expert in (2 * RANK, 2 * RANK + 1)]
        expect(f"dispatch {quant} counts", each, torch.tensor(counts))
        wanted = torch.stack(wanted) if wanted else torch.empty(0, width, dtype=torch.bfloat16)
        made = rows[:sum(counts)].float() * (scales[:sum(counts), None] if quant else 1)
        expect(f"dispatch {quant}", made, wanted.float(), 2e-2 if quant else None)
        number = torch.repeat_interleave(torch.arange(2 * RANK, 2 * RANK + 2, device=DEVICE) + 1, each)
        outs = torch.zeros(rows.shape, dtype=torch.bfloat16, device=DEVICE)
        outs[:sum(counts)] = (made * number[:, None]).bfloat16()
        shared = matrices(tokens, width, torch.bfloat16, 6)[RANK]
        found = torch_npu.npu_moe_distribute_combine_v2(
            outs, put(ids[RANK]), assist.clone(), received.clone(), put(weights[RANK]), shared_expert_x=put(shared),
            tp_send_counts=tp_received, expand_scales=row_weights, **place)
        factor = (weights[RANK] * (ids[RANK] + 1)).sum(1, keepdim=True)
        expect(f"combine {quant}", found, (factor * x[RANK].float() + shared.float()).bfloat16(), 3e-2)


def numbers_to_experts():
    """The same with quantising as Ascend950 has it: floats of 8 bits by rows, by 128 and by MX blocks of 32."""
    if "950" not in torch.npu.get_device_name() or not hasattr(torch_npu, "npu_moe_distribute_dispatch_v2"):
        return
    tokens, width = 3, 200
    x = matrices(tokens, width, torch.bfloat16, 7)
    ids = [torch.tensor([[(rank + token) % SIZE] for token in range(tokens)]).int() for rank in range(SIZE)]
    come = torch.stack([x[source][token] for source in range(SIZE) for token in range(tokens) if ids[source][token] == RANK] or
                       [torch.zeros(width, dtype=torch.bfloat16)]).float()
    for mode, step in ((2, width), (3, 128), (4, 32), (5, 32)):
        for dtype, most in ((torch.float8_e4m3fn, 448.0), (torch.float8_e5m2, 57344.0)):
            rows, scales = torch_npu.npu_moe_distribute_dispatch_v2(
                put(x[RANK]), put(ids[RANK]), group(), SIZE, RANK, SIZE, quant_mode=mode, global_bs=tokens * SIZE, y_dtype=dtype)[:2]
            greatest = torch.stack([part.abs().amax(-1) for part in come.split(step, -1)], -1)
            scale = greatest / most if mode < 4 else 2 ** torch.ceil(torch.log2(greatest / most))
            found = scales.cpu().view(torch.uint8).reshape(len(rows), -1)[:len(come), :greatest.shape[1]].float() - 127 if mode > 3 else \
                scales.cpu().reshape(len(rows), -1)[:len(come)]
            expect(f"dispatch {mode} {dtype} scales", found, scale if mode < 4 else torch.log2(scale))
            wanted = (come.double() / scale.repeat_interleave(step, -1)[:, :width].double()).clamp(-most, most)
            lost = (wanted.float().to(dtype).double() - wanted).abs()  # of what is next to a tie, on either side
            assert rows.dtype == dtype
            beyond = ((rows.cpu()[:len(come)].double() - wanted).abs() - lost).clamp(min=0)
            expect(f"dispatch {mode} {dtype}", (beyond > 1e-6 * wanted.abs()).float(), torch.zeros(len(come), width))
    # What has 8 bits already goes as it is, with as many scales of a row as it has.
    made, scale = [one.to(torch.float8_e4m3fn) for one in x], [matrices(tokens, 3, torch.float32, 8)[rank] for rank in range(SIZE)]
    rows, scales = torch_npu.npu_moe_distribute_dispatch_v2(put(made[RANK]), put(ids[RANK]), group(), SIZE, RANK, SIZE,
                                                            scales=put(scale[RANK]), quant_mode=0, global_bs=tokens * SIZE)[:2]
    for found, given in ((rows, made), (scales, scale)):
        wanted = [given[source][token].float() for source in range(SIZE) for token in range(tokens) if ids[source][token] == RANK]
        expect("dispatch of 8 bits", found.cpu()[:len(wanted)].float(), torch.stack(wanted) if wanted else torch.zeros(0, found.shape[1]))


def barriers():
    if hasattr(torch_npu, "_npu_distribute_barrier"):
        x = put(numbers(RANK, 3, torch.float32))
        expect("distribute_barrier", torch_npu._npu_distribute_barrier(x, group(), SIZE), numbers(RANK, 3, torch.float32))


if __name__ == "__main__":
    run(*((products, quantised_sums, sums_of_whole_weights, exchanges, journeys, quantised_journeys, experts, numbers_to_experts, barriers) if IS_HCCL else ()))
