# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Tensors in blocks (FRACTAL_NZ, NC1HWC0 and their kin) are what they stand for: copied, printed, saved, multiplied."""
import io

import torch
import torch_npu

NZ = 29
IS_NEWEST = "950" in torch.npu.get_device_name(0)
torch.npu.config.allow_internal_format = True
torch.manual_seed(0)


def in_blocks(tensor, wanted=NZ):
    made = torch_npu.npu_format_cast(tensor.npu(), wanted)
    # Under Ascend950 FRACTAL_NZ of 4 bytes has a number of its own, by the 16 columns of its blocks.
    assert int(torch_npu.get_npu_format(made)) in (wanted, 50), torch_npu.get_npu_format(made)
    return made


# Every dtype, ragged shapes, and each format: what comes back is what went in.
dtypes = (torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int16, torch.int32, torch.bool)
shapes = {29: ((3, 20), (1, 1), (16, 32), (37, 53), (2, 3, 17, 33)), 3: ((2, 35, 3, 5), (1, 16, 2, 2)),
          4: ((18, 35, 3, 2),), 32: ((2, 35, 2, 3, 5),), 33: ((18, 35, 2, 3, 2),)}
for wanted, all_shapes in shapes.items():
    for shape in all_shapes:
        for dtype in dtypes:
            x = torch.randint(0, 100, shape).to(dtype)
            y = in_blocks(x, wanted)
            assert torch.equal(y.cpu(), x), (wanted, shape, dtype)
            assert torch.equal(torch_npu.npu_format_cast(y, 2).cpu(), x), (wanted, shape, dtype)

# FLOAT16 (3, 20) takes two columns of one block each: 512 elements.
w = torch.randn(3, 20).half()
assert torch_npu.get_storage_size(in_blocks(w)) == 512
assert repr(in_blocks(w).detach().cpu()) == repr(w)
assert str(in_blocks(w)).split("dtype")[0] == str(w).split("dtype")[0]
assert in_blocks(w).tolist() == w.tolist()

# Rows, matrices, single rows, parts of them and elements: copied, printed, as lists.
for dtype in (torch.float16, torch.float32, torch.int8):
    for shape, parts in (((40, 37), (slice(3, 5), slice(1, None), slice(-3, None), 0, 1, 9, -1, (5, slice(3, 9)), (7, 7), (-1, -1))),
                         ((64, 64), (slice(3, 5), slice(17, 40), 0, 1, 7, -1, (2, slice(60, 64)), (63, 0))),
                         ((5, 3), (0, 1, 4, (1, 2))), ((40, 1), (-1, (slice(None), 0))),
                         ((3, 40, 37), (slice(1, None), slice(0, 2), 0, 1, 2, (2, 3), (1, 2, 3), (0, slice(1, 4))))):
        whole = torch.randint(0, 100, shape).to(dtype)
        for part in parts:
            y, expected = in_blocks(whole)[part], whole[part]
            assert torch.equal(y.cpu(), expected), (dtype, shape, part)
            assert y.tolist() == expected.tolist() and repr(y.detach().cpu()) == repr(expected), (shape, part)
# What torch_npu would read wrong says so.
part = torch.randn(40, 37).npu()[3:5]
try:
    assert torch.equal(in_blocks(part).cpu(), part.cpu())
except RuntimeError:
    assert IS_NEWEST

# Saved, alone and as a module's.
buffer = io.BytesIO()
torch.save({"w": in_blocks(w)}, buffer)
buffer.seek(0)
assert torch.equal(torch.load(buffer, map_location="cpu")["w"], w)
linear = torch.nn.Linear(40, 37).half().npu()
plain = linear.weight.detach().clone()
linear.weight.data = in_blocks(plain)
buffer = io.BytesIO()
torch.save(linear.state_dict(), buffer)
buffer.seek(0)
assert torch.equal(torch.load(buffer, map_location="cpu")["weight"], plain.cpu())

# Products give the bits of plain weights.
for dtype in (torch.float16, torch.bfloat16) + (() if IS_NEWEST else (torch.float32,)):
    x, w, b = torch.randn(5, 40).to(dtype).npu(), torch.randn(40, 37).to(dtype).npu(), torch.randn(37).to(dtype).npu()
    t, batch, stack = w.t().contiguous(), torch.randn(3, 5, 40).to(dtype).npu(), torch.randn(3, 40, 37).to(dtype).npu()
    for name, got, expected in (
            ("mm", torch.mm(x, in_blocks(w)), torch.mm(x, w)),
            ("matmul", x @ in_blocks(w), x @ w),
            ("addmm", torch.addmm(b, x, in_blocks(w)), torch.addmm(b, x, w)),
            ("linear", torch.nn.functional.linear(x, in_blocks(t), b), torch.nn.functional.linear(x, t, b)),
            ("linear without bias", torch.nn.functional.linear(x, in_blocks(t)), torch.nn.functional.linear(x, t)),
            ("mm transposed", torch.mm(x, in_blocks(t).t()), torch.mm(x, t.t()))):
        assert torch.equal(got.cpu(), expected.cpu()), (name, dtype)
    assert torch.equal(torch.bmm(batch, in_blocks(stack)).cpu(), torch.bmm(batch, stack).cpu()), dtype
    # One of several matrices, as layers of experts take them.
    for expert in range(3):
        assert torch.equal((x @ in_blocks(stack)[expert]).cpu(), (x @ stack[expert]).cpu()), (expert, dtype)

x, stack = torch.randn(10, 40).half().npu(), torch.randn(3, 40, 37).half().npu()
ends = torch.tensor([3, 5, 10]).npu()
grouped = [torch_npu.npu_grouped_matmul([x], [weight], group_list=ends, split_item=2, group_type=0)[0].cpu()
           for weight in (stack, in_blocks(stack))]
assert torch.equal(*grouped)
weight, scale = torch.randint(-128, 127, (40, 64), dtype=torch.int8), torch.rand(64).half().npu()
quantised = [torch_npu.npu_weight_quant_batchmatmul(x, each, scale).cpu() for each in (weight.npu(), in_blocks(weight))]
assert torch.equal(*quantised)

# Elsewhere torch_npu refuses tensors in blocks under Ascend950; under the others it asks for operators by name.
if not IS_NEWEST:
    w = torch.randn(40, 37)
    for name, made in (("slice", lambda x: x[3:7]), ("columns", lambda x: x[:, 2:9]), ("clone", lambda x: x.clone()),
                       ("transposed", lambda x: x.t().contiguous()), ("add", lambda x: x + 1), ("relu", torch.relu),
                       ("cat", lambda x: torch.cat([x, x])), ("half", lambda x: x.half()), ("add_", lambda x: x.add_(1))):
        assert torch.equal(made(in_blocks(w)).cpu(), made(w.clone())), name

    # Weights in blocks are drawn, changed in places and trained.
    index = torch.tensor([1, 3])
    for name, made in (("index", lambda x: x[index.to(x.device)]), ("index 1", lambda x: x[:, index.to(x.device)]),
                       ("index_put_", lambda x: x.index_put_((index.to(x.device), index.to(x.device)), x[0, 0].clone())),
                       ("mask", lambda x: x[x > 0]), ("nonzero", lambda x: x.nonzero()),
                       ("index_add_", lambda x: x.index_add_(0, index.to(x.device), x[5:7].clone(), alpha=2)),
                       ("add_ alpha", lambda x: x.add_(torch.ones(40, 37, device=x.device), alpha=-0.25))):
        got, expected = in_blocks(w), w.clone()
        assert torch.equal(made(got).cpu(), made(expected)) and torch.equal(got.cpu(), expected), name
    w = in_blocks(torch.zeros(300, 300))
    torch.nn.init.normal_(w)
    assert abs(w.cpu().std().item() - 1) < 0.05 and abs(w.mean().item()) < 0.05
    torch.nn.init.uniform_(w)
    assert 0 <= w.min().item() and w.max().item() < 1 and abs(w.mean().item() - 0.5) < 0.05
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.Adadelta):
        torch.manual_seed(1)
        layers = [torch.nn.Linear(48, 32), torch.nn.Linear(48, 32).npu()]
        layers[1].load_state_dict(layers[0].state_dict())
        layers[1].weight.data = in_blocks(layers[1].weight.data)
        steps = [optimizer(layer.parameters(), 0.1, foreach=False) for layer in layers]
        for _ in range(2):
            x = torch.randn(5, 48)
            for layer, step in zip(layers, steps):
                step.zero_grad()
                layer(x.to(layer.weight.device)).square().sum().backward()
                step.step()
        torch.testing.assert_close(layers[1].weight.detach().cpu(), layers[0].weight.detach(), rtol=1e-4, atol=1e-4)

    # torch_npu does not say where a slice of a tensor in blocks lies that is written: that raises, and writes nowhere.
    w = torch.randn(3, 40, 37)
    for part in (lambda x: x[1], lambda x: x[0, 2:4], lambda x: x[1:]):
        y = in_blocks(w)
        try:
            part(y).copy_(torch.zeros(part(w).shape))
            torch.npu.synchronize()
        except RuntimeError:
            pass
        else:
            raise AssertionError("a slice is written whose place nobody knows")
        assert torch.equal(y.cpu(), w)

# What a product refuses raises, and nothing of it stays behind.
try:
    torch.mm(torch.ones(5, 39).half().npu(), in_blocks(w[:40])).cpu()
except RuntimeError:
    pass
else:
    raise AssertionError("a product of sizes that do not fit")
assert (torch.ones(4).npu() + 1).cpu().tolist() == [2, 2, 2, 2]
