# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What programs of others met at the edges of functions: numbers that do not count, padding, views, bounds."""
import torch


def like_cpu(name, function):
    """The function of a device gives what it gives on the CPU, NaN in the same places."""
    expected, found = function("cpu"), function("npu")
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(expected, found):
        torch.testing.assert_close(other.cpu(), one, equal_nan=True, msg=lambda text: f"{name}: {text}")


# beta 0 leaves the first operand out, whatever it holds.
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for fill in (float("nan"), float("inf")):
        def ones(device, *shape):
            return torch.ones(*shape, dtype=dtype, device=device)

        def filled(device, *shape):
            return torch.full(shape, fill, dtype=dtype, device=device)

        for name, shape, first, second in (
            ("addr", (1, 2), (1,), (2,)),
            ("addmv", (2,), (2, 3), (3,)),
            ("addmm", (1, 2), (1, 3), (3, 2)),
            ("addbmm", (2, 2), (2, 2, 3), (2, 3, 2)),
            ("baddbmm", (2, 2, 2), (2, 2, 3), (2, 3, 2)),
        ):
            like_cpu(name, lambda on: getattr(torch, name)(
                filled(on, *shape), ones(on, *first), ones(on, *second), beta=0))
            like_cpu(name + "_", lambda on: getattr(filled(on, *shape), name + "_")(
                ones(on, *first), ones(on, *second), beta=0))

# Rows of -1 are padding, as in batches of decoding programs; a slot of -1 in blocks of 4 is (-1, 3).
import torch_npu  # noqa: E402

cache = torch.zeros(4, 2).npu()
torch_npu.npu_scatter_nd_update_(cache, torch.tensor([[0], [-1]]).npu(), torch.ones(2, 2).npu())
assert cache.cpu().tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]], cache.cpu()
blocks, slots = torch.zeros(2, 4, 2).npu(), torch.tensor([5, -1, 2])
rows = torch.stack([slots.div(4, rounding_mode="floor"), slots % 4], 1)
torch_npu.npu_scatter_nd_update_(blocks, rows.npu(), torch.tensor([[1.0, 2], [3, 4], [5, 6]]).npu())
expected = torch.zeros(2, 4, 2)
expected[1, 1], expected[0, 2] = torch.tensor([1.0, 2]), torch.tensor([5.0, 6])
assert torch.equal(blocks.cpu(), expected), blocks.cpu()

# The second result of triangular_solve is A, not its triangle.
if hasattr(torch, "triangular_solve"):
    for upper in (True, False):
        for transpose in (True, False):
            for right in (torch.ones(2, 1), torch.ones(3, 2, 2)):
                like_cpu("triangular_solve", lambda on: tuple(torch.triangular_solve(
                    right.to(on), torch.tensor([[2.0, 3], [5, 7]], device=on), upper, transpose)))

# Random numbers stay below the end of their range where the dtype would round them up to it.
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    for low, high in ((0, 32752), (0, 2**24 + 3), (-9000, -4097), (0, 1000)):
        if dtype == torch.float16 and high > 65504:
            continue
        drawn = torch.empty(2000, dtype=dtype).npu().random_(low, high).cpu().double()
        assert drawn.max() < high, (dtype, low, high, drawn.max())
        drawn = torch.empty(2000, dtype=dtype).npu().uniform_(low, high).cpu().double()
        assert drawn.max() < high, (dtype, low, high, drawn.max())
    assert torch.rand(100000, dtype=dtype, device="npu").max() < 1

# A number that 16 bits do not have: sums round it first, as on the CPU, products do not; Ascend950 keeps it.
newest = torch.npu.get_device_name(0).startswith("Ascend950")
for dtype in (torch.float16, torch.bfloat16):
    x = torch.linspace(0.1, 99, 997).to(dtype)
    for name, function in (
        ("x + s", lambda on: x.to(on) + 41.7022), ("x - s", lambda on: x.to(on) - 41.7022),
        ("s - x", lambda on: 41.7022 - x.to(on)), ("rsub", lambda on: torch.rsub(x.to(on), 0.1)),
        ("add_", lambda on: x.to(on).add_(0.3)), ("sub_", lambda on: x.to(on).sub_(0.3)),
        ("x * s", lambda on: x.to(on) * 41.7022), ("x / s", lambda on: x.to(on) / 41.7022),
    ):
        is_sum = "*" not in name and "/" not in name
        if not (newest and is_sum):
            assert torch.equal(function("npu").cpu(), function("cpu")), (name, dtype)
if newest:
    assert (torch.tensor([72.0625]).half().npu() - 41.7022).item() == 30.359375

# Attention of packed sequences whose keys lie in blocks, as vLLM calls it in every step: keys by a table, causal.
heads, key_heads, depth, block = 8, 2, 64, 16
row_counts, key_counts = [3, 1, 5], [40, 17, 5]
query = torch.randn(sum(row_counts), heads, depth).half()
keys, values = (torch.randn(20, block, key_heads * depth).half() for _ in range(2))
table = torch.randperm(20)[:12].reshape(3, 4).int()
parts, first = [], 0
for number, (rows, count) in enumerate(zip(row_counts, key_counts)):
    own = [torch.cat([cache[k] for k in table[number]])[:count].view(count, key_heads, depth).float()
           .repeat_interleave(heads // key_heads, 1) for cache in (keys, values)]
    scores = torch.einsum("nhd,khd->hnk", query[first:first + rows].float(), own[0]) / 8
    hidden = torch.arange(count)[None, :] > torch.arange(rows)[:, None] + count - rows
    parts.append(torch.einsum("hnk,khd->nhd", scores.masked_fill(hidden, float("-inf")).softmax(-1), own[1]))
    first += rows
mask = torch.triu(torch.ones(2048, 2048), 1).to(torch.int8).npu()
names = dict(num_heads=heads, scale=1 / 8, actual_seq_lengths=[3, 4, 9], actual_seq_lengths_kv=key_counts)
newer = dict(num_query_heads=heads, softmax_scale=1 / 8, actual_seq_qlen=[3, 4, 9], actual_seq_kvlen=key_counts)
for attend, numbers in ((torch_npu.npu_fused_infer_attention_score, names),
                        (torch_npu.npu_fused_infer_attention_score_v2, newer)):
    found = attend(query.npu(), keys.npu(), values.npu(), atten_mask=mask, block_table=table.npu(), block_size=block,
                   input_layout="TND", num_key_value_heads=key_heads, sparse_mode=3, **numbers)[0]
    torch.testing.assert_close(found.cpu().float(), torch.cat(parts), atol=2e-3, rtol=2e-3)

# A single row with a single key gives the value, whatever length is said to have come before.
query, key, value = (torch.randn(1, 8, 1, 64).half().npu() for _ in range(3))
for length in (29, 100):
    found = torch_npu.npu_fused_infer_attention_score(query, key, value, num_heads=8, input_layout="BNSD",
                                                      scale=0.1, actual_seq_lengths=[length])[0]
    assert torch.equal(found.cpu(), value.cpu())

# One value into a view whose indices share elements; norms of doubles; a number compared with a tensor.
for fill in (lambda t: t.fill_(2), lambda t: t.zero_(), lambda t: t.index_fill_(0, torch.tensor([0], device=t.device), 3)):
    like_cpu("fill", lambda on: fill(torch.ones(1, device=on).expand(3)))
like_cpu("fill of windows", lambda on: torch.zeros(5, device=on).as_strided((3, 2), (1, 1)).fill_(2))
for order in (2, 1, 3, 0, float("inf")):
    like_cpu("vector_norm", lambda on: torch.linalg.vector_norm(
        torch.tensor([3.0, 4.0], dtype=torch.float64, device=on), order))
for name in ("lt", "le", "gt", "ge", "eq", "ne"):
    for numbers in ((torch.tensor(1.0), torch.tensor([0.0, 1, 2, float("nan")])), (torch.tensor(1), torch.tensor([0, 1, 2]))):
        like_cpu(name, lambda on: getattr(torch, name)(numbers[0], numbers[1].to(on)))
