# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Kernels of the kind that servers of language models have, in words of our own, compared with torch on the CPU.

    belay run python tests/clients/triton/serving.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl

from cases import DEVICE, case, drawn, main, near


@triton.jit
def rms_kernel(x, residual, weight, out, columns, eps, BLOCK: tl.constexpr, ADDS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    if ADDS:
        value += tl.load(residual + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(residual + row * columns + at, value.to(residual.dtype.element_ty), mask=inside)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / columns + eps)
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + at, (value * scale * w).to(out.dtype.element_ty), mask=inside)


@case
def rms_norm():
    for dtype, bound in ((torch.float32, 1e-5), (torch.float16, 1e-2), (torch.bfloat16, 5e-2)):
        x, w = drawn(9, 200, dtype=dtype), drawn(200, dtype=dtype)
        out = torch.empty(9, 200, dtype=dtype, device=DEVICE)
        rms_kernel[(9,)](x.to(DEVICE), None, w.to(DEVICE), out, 200, 1e-6, BLOCK=256, ADDS=False)
        f = x.float()
        near(out, (f * (f.square().mean(1, keepdim=True) + 1e-6).rsqrt() * w.float()).to(dtype), bound)


@case
def rms_norm_with_a_residual():
    x, r, w = drawn(9, 200), drawn(9, 200), drawn(200)
    out, residual = torch.empty(9, 200, device=DEVICE), r.to(DEVICE)
    rms_kernel[(9,)](x.to(DEVICE), residual, w.to(DEVICE), out, 200, 1e-6, BLOCK=256, ADDS=True)
    f = x + r
    near(residual, f, 1e-6)
    near(out, f * (f.square().mean(1, keepdim=True) + 1e-6).rsqrt() * w, 1e-5)


@triton.jit
def rotary_kernel(q, cosine, sine, positions, heads, D: tl.constexpr, HEADS: tl.constexpr, PAIRS: tl.constexpr):
    token = tl.program_id(0)
    half = tl.arange(0, D // 2)
    place = tl.load(positions + token)
    c = tl.load(cosine + place * (D // 2) + half)[None, :]
    s = tl.load(sine + place * (D // 2) + half)[None, :]
    head = tl.arange(0, HEADS)[:, None]
    start = q + token * heads * D + head * D
    if PAIRS:
        first, second = start + 2 * half[None, :], start + 2 * half[None, :] + 1
    else:
        first, second = start + half[None, :], start + half[None, :] + D // 2
    inside = head < heads
    a, b = tl.load(first, mask=inside, other=0.0), tl.load(second, mask=inside, other=0.0)
    tl.store(first, a * c - b * s, mask=inside)
    tl.store(second, b * c + a * s, mask=inside)


def rotary(pairs):
    q, positions = drawn(7, 3, 16), torch.randint(0, 30, (7,), dtype=torch.int32)
    angle = torch.arange(30).float()[:, None] * 0.1 ** torch.arange(8).float()[None, :]
    out = q.to(DEVICE)
    rotary_kernel[(7,)](out, angle.cos().to(DEVICE), angle.sin().to(DEVICE), positions.to(DEVICE), 3, D=16, HEADS=4,
                        PAIRS=pairs)
    c, s = angle.cos()[positions.long()][:, None], angle.sin()[positions.long()][:, None]
    a, b = (q[..., 0::2], q[..., 1::2]) if pairs else (q[..., :8], q[..., 8:])
    first, second = a * c - b * s, b * c + a * s
    wanted = torch.stack([first, second], -1).flatten(-2) if pairs else torch.cat([first, second], -1)
    near(out, wanted, 1e-6)


@case
def rotary_of_halves():
    rotary(False)


@case
def rotary_of_pairs():
    rotary(True)


@triton.jit
def gate_kernel(x, out, columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(x + row * 2 * columns + at, mask=at < columns, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * columns + columns + at, mask=at < columns, other=0.0).to(tl.float32)
    if KIND == "silu":
        gate = gate * tl.sigmoid(gate)
    else:
        gate = 0.5 * gate * (1 + tl.math.erf(gate * 0.70710678))
    tl.store(out + row * columns + at, (gate * up).to(out.dtype.element_ty), mask=at < columns)


@case
def gates():
    x = drawn(5, 300)
    for kind, function in (("silu", torch.nn.functional.silu), ("gelu", torch.nn.functional.gelu)):
        out = torch.empty(5, 150, device=DEVICE)
        gate_kernel[(5, 3)](x.to(DEVICE), out, 150, KIND=kind, BLOCK=64)
        near(out, function(x[:, :150]) * x[:, 150:], 1e-5)


@triton.jit
def slots_kernel(starts, positions, table, table_stride, block_size, slots, tokens, PAD: tl.constexpr,
                 BLOCK: tl.constexpr):
    request = tl.program_id(0)
    if request == tl.num_programs(0) - 1:
        used = tl.load(starts + request)
        for at in range(used, tokens, BLOCK):
            place = at + tl.arange(0, BLOCK)
            tl.store(slots + place, PAD, mask=place < tokens)
        return
    begin, end = tl.load(starts + request), tl.load(starts + request + 1)
    for at in range(begin, end, BLOCK):
        place = at + tl.arange(0, BLOCK)
        position = tl.load(positions + place, mask=place < end, other=0)
        block = tl.load(table + request * table_stride + position // block_size, mask=place < end, other=0)
        tl.store(slots + place, block * block_size + position % block_size, mask=place < end)


@case
def slot_mapping():
    lengths = [5, 1, 9]
    starts = torch.tensor([0, 5, 6, 15], dtype=torch.int32)
    positions = torch.cat([torch.arange(n) + 3 for n in lengths])
    table = torch.randperm(24, dtype=torch.int32).view(3, 8)
    slots = torch.full((20,), 7, dtype=torch.int64, device=DEVICE)
    slots_kernel[(4,)](starts.to(DEVICE), positions.to(DEVICE), table.to(DEVICE), 8, 4, slots, 20, PAD=-1, BLOCK=4)
    wanted = torch.full((20,), -1, dtype=torch.int64)
    at = 0
    for request, n in enumerate(lengths):
        for _ in range(n):
            wanted[at] = table[request, positions[at] // 4].long() * 4 + positions[at] % 4
            at += 1
    near(slots, wanted)


@triton.jit
def cache_kernel(key, cache, slots, width, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots + token)
    if slot < 0:
        return
    at = tl.arange(0, BLOCK)
    tl.store(cache + slot * width + at, tl.load(key + token * width + at, mask=at < width), mask=at < width)


@case
def cache_of_keys():
    key, slots = drawn(6, 24), torch.tensor([3, 9, -1, 0, 7, 15])
    cache = torch.zeros(16, 24, device=DEVICE)
    cache_kernel[(6,)](key.to(DEVICE), cache, slots.to(DEVICE), 24, BLOCK=32)
    wanted = torch.zeros(16, 24)
    wanted[slots[slots >= 0]] = key[slots >= 0]
    near(cache, wanted)


@triton.jit
def decode_kernel(q, keys, values, table, lengths, out, table_stride, scale, HEADS: tl.constexpr, D: tl.constexpr,
                  PAGE: tl.constexpr):
    request, head = tl.program_id(0), tl.program_id(1)
    d, n = tl.arange(0, D), tl.arange(0, PAGE)
    query = tl.load(q + (request * HEADS + head) * D + d)
    length = tl.load(lengths + request)
    most, total = -1e30, 0.0
    value = tl.zeros((D,), dtype=tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        block = tl.load(table + request * table_stride + page)
        at = ((block * PAGE + n) * HEADS + head)[:, None] * D + d[None, :]
        inside = page * PAGE + n < length
        k = tl.load(keys + at, mask=inside[:, None], other=0.0)
        v = tl.load(values + at, mask=inside[:, None], other=0.0)
        score = tl.where(inside, tl.sum(query[None, :] * k, axis=1) * scale, -1e30)
        greatest = tl.maximum(most, tl.max(score, axis=0))
        factor = tl.exp(most - greatest)
        weight = tl.exp(score - greatest)
        total = total * factor + tl.sum(weight, axis=0)
        value = value * factor + tl.sum(weight[:, None] * v, axis=0)
        most = greatest
    tl.store(out + (request * HEADS + head) * D + d, value / total)


@case
def decoding_from_pages():
    requests, heads, D, page = 3, 2, 16, 8
    lengths = torch.tensor([5, 17, 8], dtype=torch.int32)
    table = torch.randperm(12, dtype=torch.int32)[:9].view(3, 3)
    q, keys, values = drawn(requests, heads, D), drawn(12, page, heads, D), drawn(12, page, heads, D)
    out = torch.empty(requests, heads, D, device=DEVICE)
    decode_kernel[(requests, heads)](q.to(DEVICE), keys.to(DEVICE), values.to(DEVICE), table.to(DEVICE),
                                     lengths.to(DEVICE), out, 3, D ** -0.5, HEADS=heads, D=D, PAGE=page)
    wanted = torch.empty(requests, heads, D)
    for r in range(requests):
        k = keys[table[r].long()].reshape(-1, heads, D)[:lengths[r]]
        v = values[table[r].long()].reshape(-1, heads, D)[:lengths[r]]
        weight = (torch.einsum("hd,nhd->hn", q[r], k) * D ** -0.5).softmax(1)
        wanted[r] = torch.einsum("hn,nhd->hd", weight, v)
    near(out, wanted, 1e-5)


@triton.jit
def greedy_kernel(logits, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best, place = -float("inf"), 0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(logits + row * columns + at, mask=at < columns, other=-float("inf"))
        here, index = tl.max(value, axis=0), tl.argmax(value, axis=0)
        if here > best:
            best = here
            place = start + index
    tl.store(out + row, place)


@case
def greedy_sampling():
    logits = drawn(4, 1000)
    out = torch.empty(4, dtype=torch.int32, device=DEVICE)
    greedy_kernel[(4,)](logits.to(DEVICE), out, 1000, BLOCK=256)
    near(out, logits.argmax(1).int())


@triton.jit
def gumbel_kernel(logits, temperatures, seeds, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(logits + row * columns + at, mask=at < columns, other=-float("inf"))
    temperature = tl.load(temperatures + row)
    if temperature > 0:
        noise = tl.maximum(tl.rand(tl.load(seeds + row), at), 1e-7)
        value = tl.where(at < columns, value / temperature - tl.log(-tl.log(noise)), -float("inf"))
    tl.store(out + row, tl.argmax(value, axis=0))


@case
def gumbel_sampling():
    logits, rows = torch.tensor([0.0, 1.0, 2.0, 3.0]).expand(400, 4).contiguous(), 400
    temperature = torch.ones(rows)
    temperature[:10] = 0
    out = torch.empty(rows, dtype=torch.int32, device=DEVICE)
    gumbel_kernel[(rows,)](logits.to(DEVICE), temperature.to(DEVICE), torch.arange(rows, dtype=torch.int32).to(DEVICE),
                           out, 4, BLOCK=8)
    counts = torch.bincount(out.cpu().long()[10:], minlength=4) / (rows - 10)
    assert (out.cpu()[:10] == 3).all()
    assert (counts - torch.tensor([0.0, 1.0, 2.0, 3.0]).softmax(0)).abs().max() < 0.1, counts


@triton.jit
def penalties_kernel(logits, counts, prompt, repetition, frequency, presence, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(logits + row * columns + at, mask=inside, other=0.0)
    count = tl.load(counts + row * columns + at, mask=inside, other=0)
    asked = tl.load(prompt + row * columns + at, mask=inside, other=0) != 0
    factor = tl.where(asked | (count > 0), tl.load(repetition + row), 1.0)
    value = tl.where(value > 0, value / factor, value * factor)
    value -= tl.load(frequency + row) * count.to(tl.float32)
    value -= tl.load(presence + row) * (count > 0).to(tl.float32)
    tl.store(logits + row * columns + at, value, mask=inside)


@case
def penalties():
    logits, counts = drawn(3, 100), torch.randint(0, 3, (3, 100), dtype=torch.int32)
    prompt = torch.randint(0, 2, (3, 100), dtype=torch.int8)
    repetition, frequency, presence = torch.rand(3) + 1, torch.rand(3), torch.rand(3)
    out = logits.to(DEVICE)
    penalties_kernel[(3, 2)](out, counts.to(DEVICE), prompt.to(DEVICE), repetition.to(DEVICE), frequency.to(DEVICE),
                             presence.to(DEVICE), 100, BLOCK=64)
    factor = torch.where((prompt != 0) | (counts > 0), repetition[:, None], 1.0)
    wanted = torch.where(logits > 0, logits / factor, logits * factor)
    near(out, wanted - frequency[:, None] * counts - presence[:, None] * (counts > 0), 1e-5)


@triton.jit
def count_kernel(tokens, counts, tokens_per_row, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    token = tl.load(tokens + row * tokens_per_row + at, mask=at < tokens_per_row, other=0)
    tl.atomic_add(counts + row * columns + token, 1, mask=at < tokens_per_row)


@case
def counts_of_tokens():
    tokens = torch.randint(0, 20, (3, 50), dtype=torch.int32)
    counts = torch.zeros(3, 20, dtype=torch.int32, device=DEVICE)
    count_kernel[(3,)](tokens.to(DEVICE), counts, 50, 20, BLOCK=64)
    near(counts, torch.stack([torch.bincount(row, minlength=20) for row in tokens]).int())


@triton.jit
def experts_kernel(x, weights, out, tokens_of_tile, expert_of_tile, gates, token_count, N, K, TOP: tl.constexpr,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    m = tl.load(tokens_of_tile + tile * BM + tl.arange(0, BM))
    expert = tl.load(expert_of_tile + tile)
    if expert < 0:
        return
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    known = m < token_count * TOP
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(x + (m // TOP)[:, None] * K + (start + k)[None, :],
                    mask=known[:, None] & ((start + k)[None, :] < K), other=0.0)
        b = tl.load(weights + expert * N * K + n[None, :] * K + (start + k)[:, None],
                    mask=(n[None, :] < N) & ((start + k)[:, None] < K), other=0.0)
        total += tl.dot(a, b)
    total = total * tl.load(gates + m, mask=known, other=0.0)[:, None]
    tl.store(out + m[:, None] * N + n[None, :], total, mask=known[:, None] & (n[None, :] < N))


@case
def fused_experts():
    tokens, experts, N, K, top, BM = 13, 4, 40, 24, 2, 16
    x, weights = drawn(tokens, K), drawn(experts, N, K)
    gate, chosen = drawn(tokens, experts).softmax(1).topk(top, 1)
    tiles, expert_of = [], []
    flat = chosen.flatten()
    for expert in range(experts):
        places = (flat == expert).nonzero().flatten().tolist()
        for start in range(0, len(places), BM):
            part = places[start:start + BM]
            tiles += part + [tokens * top] * (BM - len(part))
            expert_of.append(expert)
    tiles += [tokens * top] * BM
    expert_of.append(-1)
    out = torch.zeros(tokens * top, N, device=DEVICE)
    experts_kernel[(len(expert_of), 3)](
        x.to(DEVICE), weights.to(DEVICE), out, torch.tensor(tiles, dtype=torch.int32).to(DEVICE),
        torch.tensor(expert_of, dtype=torch.int32).to(DEVICE), gate.flatten().contiguous().to(DEVICE), tokens, N, K,
        TOP=top, BM=BM, BN=16, BK=16)
    wanted = torch.stack([weights[flat[i]] @ x[i // top] * gate.flatten()[i] for i in range(tokens * top)])
    near(out, wanted, 1e-4)


@triton.jit
def quantise_kernel(x, out, scales, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(value), axis=0), 1e-10) / 127
    tl.store(scales + row, scale)
    rounded = tl.floor(value / scale + 0.5)
    tl.store(out + row * columns + at, tl.clamp(rounded, -127.0, 127.0).to(tl.int8), mask=at < columns)


@case
def quantised_rows():
    x = drawn(6, 100)
    out, scales = torch.empty(6, 100, dtype=torch.int8, device=DEVICE), torch.empty(6, device=DEVICE)
    quantise_kernel[(6,)](x.to(DEVICE), out, scales, 100, BLOCK=128)
    scale = x.abs().max(1).values / 127
    near(scales, scale, 1e-7)
    near(out, (x / scale[:, None] + 0.5).floor().clamp(-127, 127).to(torch.int8))


@triton.jit
def best_kernel(logits, values, places, columns, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(logits + row * columns + at, mask=at < columns, other=-float("inf"))
    for k in range(K):
        best, place = tl.max(value, axis=0), tl.argmax(value, axis=0)
        tl.store(values + row * K + k, best)
        tl.store(places + row * K + k, place)
        value = tl.where(at == place, -float("inf"), value)


@case
def best_experts():
    logits = drawn(5, 20)
    values, places = torch.empty(5, 4, device=DEVICE), torch.empty(5, 4, dtype=torch.int32, device=DEVICE)
    best_kernel[(5,)](logits.to(DEVICE), values, places, 20, K=4, BLOCK=32)
    wanted = logits.topk(4, 1)
    near(values, wanted.values)
    near(places, wanted.indices.int())


@triton.jit
def delta_kernel(q, k, v, decay, beta, out, state, length, D: tl.constexpr):
    d = tl.arange(0, D)
    memory = tl.zeros((D, D), dtype=tl.float32)
    for t in range(length):
        key, value = tl.load(k + t * D + d), tl.load(v + t * D + d)
        memory *= tl.exp(tl.load(decay + t))
        known = tl.sum(memory * key[:, None], axis=0)
        memory += key[:, None] * ((value - known) * tl.load(beta + t))[None, :]
        tl.store(out + t * D + d, tl.sum(memory * tl.load(q + t * D + d)[:, None], axis=0))
    tl.store(state + d[:, None] * D + d[None, :], memory)


@case
def delta_rule():
    q, k, v = drawn(12, 16), torch.nn.functional.normalize(drawn(12, 16), dim=1), drawn(12, 16)
    decay, beta = -torch.rand(12), torch.rand(12)
    out, state = torch.empty(12, 16, device=DEVICE), torch.empty(16, 16, device=DEVICE)
    delta_kernel[(1,)](*[t.to(DEVICE) for t in (q, k, v, decay, beta)], out, state, 12, D=16)
    memory, wanted = torch.zeros(16, 16), []
    for t in range(12):
        memory = memory * decay[t].exp()
        memory = memory + k[t][:, None] * ((v[t] - k[t] @ memory) * beta[t])[None, :]
        wanted.append(q[t] @ memory)
    near(out, torch.stack(wanted), 1e-4)
    near(state, memory, 1e-4)


@triton.jit
def convolution_kernel(x, weight, out, length, channels, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    t = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for tap in tl.static_range(WIDTH):
        at = t - (WIDTH - 1) + tap
        value = tl.load(x + at * channels + c, mask=(c < channels) & (at >= 0), other=0.0)
        total += value * tl.load(weight + c * WIDTH + tap, mask=c < channels, other=0.0)
    tl.store(out + t * channels + c, total * tl.sigmoid(total), mask=c < channels)


@case
def causal_convolution():
    x, w = drawn(10, 40), drawn(40, 4)
    out = torch.empty(10, 40, device=DEVICE)
    convolution_kernel[(10, 2)](x.to(DEVICE), w.to(DEVICE), out, 10, 40, WIDTH=4, BLOCK=32)
    padded = torch.nn.functional.pad(x.t()[None], (3, 0))
    near(out, torch.nn.functional.silu(torch.nn.functional.conv1d(padded, w[:, None], groups=40)[0].t()), 1e-5)


@triton.jit
def accept_kernel(drafts, targets, starts, bonus, out, most, COLUMNS: tl.constexpr):
    request = tl.program_id(0)
    begin, end = tl.load(starts + request), tl.load(starts + request + 1)
    accepted = True
    for at in range(begin, end):
        if accepted:
            target = tl.load(targets + at)
            tl.store(out + request * COLUMNS + at - begin, target)
            if target != tl.load(drafts + at):
                accepted = False
    if accepted:
        tl.store(out + request * COLUMNS + end - begin, tl.load(bonus + request))


@case
def accepted_drafts():
    drafts = torch.tensor([1, 2, 3, 4, 5, 6], dtype=torch.int32)
    targets = torch.tensor([1, 2, 3, 4, 9, 6], dtype=torch.int32)
    starts, bonus = torch.tensor([0, 3, 6], dtype=torch.int32), torch.tensor([70, 80], dtype=torch.int32)
    out = torch.full((2, 4), -1, dtype=torch.int32, device=DEVICE)
    accept_kernel[(2,)](drafts.to(DEVICE), targets.to(DEVICE), starts.to(DEVICE), bonus.to(DEVICE), out, 3, COLUMNS=4)
    near(out, torch.tensor([[1, 2, 3, 70], [4, 9, -1, -1]], dtype=torch.int32))


if __name__ == "__main__":
    sys.exit(main())
