# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Names of torch.ops.npu that PyTorch's own functions, gradients and layers reach under the hood, called directly."""

import os
import tempfile

import torch
import torch.nn.functional as F
import torch_npu

NPU = torch.ops.npu
# torch_npu has some of the names for the older product alone: "do not have aclnn implementation".
A5 = "950" in os.environ.get("BELAY_SOC", "")
torch.manual_seed(35)


def near(found, wanted, what="", tolerance=1e-4):
    found, wanted = ([x] if isinstance(x, torch.Tensor) else x for x in (found, wanted))
    assert len(found) >= len(wanted), (what, len(found), len(wanted))
    for i, (one, other) in enumerate(zip(found, wanted)):
        one, other = one.detach().cpu().double(), other.detach().double()
        assert one.shape == other.shape, (what, i, one.shape, other.shape)
        assert torch.allclose(one, other, rtol=tolerance, atol=tolerance), (what, i, (one - other).abs().max())


def on(*inputs):
    return [x.detach().npu() for x in inputs]


def kept(mask, count):
    """The elements that a mask of bits keeps."""
    bits = mask.cpu().view(torch.uint8).reshape(-1, 1) >> torch.arange(8)
    return (bits & 1).flatten()[:count].bool()


def dropout():
    if A5:
        return
    x = torch.rand(30, 40) + 0.5
    y, mask = NPU._npu_dropout(x.npu(), 0.25)
    stays = y.cpu() != 0
    assert 0.65 < stays.double().mean() < 0.85
    near(y, torch.where(stays, x / 0.75, 0.0))
    assert torch.equal(kept(mask, 1200), stays.flatten())
    grad = torch.randn(30, 40)
    near(NPU.npu_dropout_backward(grad.npu(), mask, 0.25), torch.where(stays, grad / 0.75, 0.0))
    again, same = NPU.npu_dropout_do_mask(x.npu(), mask, 0.25)
    near(again, y.cpu())
    mask = NPU._npu_dropout_gen_mask(x.npu(), [30, 40], 0.25, 7, 0)
    assert 0.65 < kept(mask, 1200).double().mean() < 0.85
    near(NPU.npu_dropout_do_mask(x.npu(), mask, 0.25)[0], torch.where(kept(mask, 1200).view(30, 40), x / 0.75, 0.0))


def dropout_by_bytes():
    if A5:
        return
    x = torch.rand(30, 40) + 0.5
    y, mask = NPU._dropout_with_byte_mask(x.npu(), 0.25)
    stays = y.cpu() != 0
    assert 0.65 < stays.double().mean() < 0.85
    near(y, torch.where(stays, x / 0.75, 0.0))
    grad = torch.randn(30, 40)
    near(NPU._dropout_with_byte_mask_backward(grad.npu(), mask, 0.25), torch.where(stays, grad / 0.75, 0.0))
    y = NPU.dropout_with_byte_mask(x.npu(), 0.25, True).cpu()
    near(y, torch.where(y != 0, x / 0.75, 0.0))
    assert 0.65 < (y != 0).double().mean() < 0.85


def dropout_add_softmax():
    if A5:
        return
    x, y = torch.randn(2, 16, 128, 128), torch.randn(2, 16, 128, 128)
    mask, soft, out = NPU.npu_dropout_with_add_softmax(x.npu(), y.npu(), 0.5, 0.25, -1)
    wanted = torch.softmax(y + 0.5 * x, -1)
    near(soft, wanted)
    stays = out.cpu() != 0
    near(out, torch.where(stays, wanted / 0.75, 0.0))
    grad = torch.randn(2, 16, 128, 128)
    inner = torch.where(stays, grad / 0.75, 0.0)
    inner = (inner - (inner * wanted).sum(-1, keepdim=True)) * wanted
    # The second result is what torch_npu makes of it: the gradient that it was given.
    near(NPU.npu_dropout_with_add_softmax_backward(grad.npu(), mask, soft, 0.5, 0.25, -1), [0.5 * inner])


def ones():
    x = torch.randn(3, 4).npu()
    NPU.one_(x)
    near(x, torch.ones(3, 4))


torch.npu.config.allow_internal_format = True


def storage():
    x = torch.randn(4, 6)
    empty = NPU.empty_with_format([4, 6], dtype=torch.float32, device="npu", acl_format=2)
    NPU.copy_memory_(empty, x.npu())
    near(empty, x, "copy_memory_")
    assert NPU.get_npu_format(empty) == 2 and NPU.get_storage_size(empty) == 24
    empty = NPU.unsafe_empty_with_format([4, 6], dtype=torch.float32, device="npu", acl_format=2)
    assert empty.shape == (4, 6)
    empty.copy_(x)
    near(empty, x)
    y = torch.zeros(4, 6).npu()
    if not A5:
        NPU.npu_view_copy(y, x.npu(), False)
        near(y, x, "npu_view_copy")
    near(NPU.npu_reshape(x.npu(), [3, 8]), x.reshape(3, 8), "npu_reshape")


def casts():
    x, y = torch.randn(4, 6), torch.zeros(4, 6, dtype=torch.float16).npu()
    if not A5:
        NPU.npu_dtype_cast_(y, x.npu())
        assert torch.equal(y.cpu(), x.half())
    z = NPU._npu_format_cast(x.half().npu(), 29)
    assert NPU.get_npu_format(z) == 29
    near(NPU._npu_format_cast(z, 2), x.half())
    NPU.npu_format_cast_(z, 2)
    assert NPU.get_npu_format(z) == 2
    near(z, x.half())


def swapped():
    x = NPU.empty_with_swapped_memory([3, 5], dtype=torch.float32, device="npu")
    x.fill_(3)
    near(x, torch.full((3, 5), 3.0))


def quantised():
    x = torch.randn(4, 6)
    scale, zero = torch.tensor([0.1]), torch.tensor([3], dtype=torch.int32)
    result = torch.zeros(4, 6, dtype=torch.int8).npu()
    NPU._quantize_per_tensor_impl(x.npu(), scale.npu(), zero.npu(), torch.qint8, result=result)
    assert torch.equal(result.cpu(), torch.round(x / 0.1 + 3).clamp(-128, 127).to(torch.int8))
    scale, zero = torch.rand(6) + 0.1, torch.randint(-3, 4, (6,), dtype=torch.int32)
    NPU._quantize_per_channel_impl(x.npu(), scale.npu(), zero.npu(), 1, torch.qint8, result=result)
    assert torch.equal(result.cpu(), torch.round(x / scale + zero).clamp(-128, 127).to(torch.int8))


def scales():
    scale = torch.rand(16) + 0.5
    found = NPU.npu_trans_quant_param(scale.npu(), None, 1).cpu()
    assert torch.allclose((found & 0xFFFFFFFF).to(torch.int32).view(torch.float32), scale, rtol=1e-3)


def products():
    x, y = torch.randn(3, 5, 8), torch.randn(5, 8, 6)
    found = NPU.npu_transpose_batchmatmul(x.half().npu(), y.half().npu(), perm_x1=[1, 0, 2], perm_y=[1, 0, 2])
    near(found.float(), (x.transpose(0, 1) @ y).transpose(0, 1), "", 2e-2)
    scale = NPU.npu_trans_quant_param((torch.rand(30) * 20).npu(), round_mode=1)  # whole numbers, whatever their dtype
    found = NPU.npu_transpose_batchmatmul(x.half().npu(), y.half().npu(), scale=scale, perm_x1=[1, 0, 2], perm_y=[1, 0, 2])
    sums = (x.half().double().transpose(0, 1) @ y.half().double()).transpose(0, 1).reshape(3, 1, 30)
    wanted = (sums * (scale.cpu() & 0xFFFFFFFF).int().view(torch.float32)).clamp(-128, 127)
    assert found.cpu().double().sub(wanted).abs().max() < 0.51 and torch.equal(found.cpu(), found.cpu().round())


def outputs_of_attention():
    """What graphs ask for before they are captured: outputs of the right shapes, and workspaces."""
    q, v = torch.randn(2, 7, 4, 16).half().npu(), torch.randn(2, 9, 4, 16).half().npu()
    out, _ = NPU._npu_fused_infer_attention_score_infer_output(q, v, input_layout="BSND", num_heads=4)
    assert out.shape == q.shape and out.dtype == q.dtype
    out, _ = NPU._npu_fused_infer_attention_score_v2_infer_output(q, v, input_layout="BSND", num_query_heads=4)
    assert out.shape == q.shape and out.dtype == q.dtype
    size = NPU._npu_fused_infer_attention_score_v2_get_max_workspace(q, v, v, input_layout="BSND", num_query_heads=4)
    assert size.dim() == 1
    q, v = torch.randn(7, 4, 16).half().npu(), torch.randn(9, 4, 16).half().npu()
    ends = {"actual_seq_qlen": torch.tensor([3, 7]), "actual_seq_kvlen": torch.tensor([4, 9])}
    out, *statistics = NPU._npu_fusion_attention_v3_infer_output(q, v, v, 4, "TND")
    assert out.shape == q.shape and [tuple(s.shape) for s in statistics] == [(7, 4, 8)] * 2
    assert NPU._npu_fusion_attention_v3_get_max_workspace(q, v, v, 4, "TND", **ends).dim() == 1
    found = NPU._npu_fusion_attention_grad_v3_infer_output(q, v, v)
    assert [x.shape for x in found[:3]] == [q.shape, v.shape, v.shape]
    known = dict(softmax_max=statistics[0], softmax_sum=statistics[1], attention_in=out, **ends)
    size = NPU._npu_fusion_attention_grad_v3_get_max_workspace(q, v, v, q, 4, "TND", **known)
    assert size.dim() == 1


def softmax_in_place():
    x = torch.randn(2, 4, 32, 32).half()
    y = x.npu()
    NPU.npu_attn_softmax_(y)
    soft = torch.softmax(x.float(), -1)
    near(y.float(), soft, "", 1e-2)
    grad, values = torch.randn(2, 4, 32, 64).half(), torch.randn(2, 4, 32, 64).half()
    inner = grad.float() @ values.float().transpose(-1, -2)
    wanted = (inner - (inner * soft).sum(-1, keepdim=True)) * soft
    NPU.npu_attn_softmax_backward_(y, grad.npu(), values.npu())
    near(y.float(), wanted, "backward", 5e-2)


def exponential():
    x = torch.empty(1000).npu()
    NPU.npu_sim_exponential_(x, 2.0)
    assert 0.4 < x.cpu().mean() < 0.6


def prefetch():
    x = torch.randn(30, 40).npu()
    NPU.npu_prefetch(x, None, 1024)
    NPU.npu_prefetch(x, x, 1024, 16)


def settings():
    NPU.set_op_timeout_ms(1000)


def lists():
    lists = [torch.zeros(2, 4, 8).half() for _ in range(3)]
    updates = torch.randn(3, 2, 1, 8).half()
    index = torch.tensor([1, 3, 0])
    found = NPU.npu_scatter_list(on(*lists), index.npu(), updates.npu())
    for i, (x, y) in enumerate(zip(lists, found)):
        x[:, index[i]] = updates[i, :, 0]
        near(y, x)


def caches():
    key, value = torch.randn(5, 2, 16).half(), torch.randn(5, 2, 32).half()
    place = torch.tensor([3, 0, -1, 7, 5], dtype=torch.int32)
    caches = [torch.zeros(2, 4, 2, d).half().npu() for d in (16, 32)]
    found = NPU.npu_scatter_pa_kv_cache_functional(key.npu(), value.npu(), *caches, place.npu(), cache_mode="Norm")
    for cache, was, rows in zip(found, caches, (key, value)):
        assert torch.equal(cache.cpu().view(8, 2, -1)[place[place >= 0].long()], rows[place >= 0])
        assert not was.cpu().any()
    table, lengths = torch.tensor([[1, 0], [0, 9]], dtype=torch.int32), torch.tensor([6, 3], dtype=torch.int32)
    out = [torch.zeros(9, 2, d).half().npu() for d in (16, 32)]
    rows = NPU.npu_gather_pa_kv_cache_functional(*found, table.npu(), lengths.npu(), *out)
    for cache, some in zip(found, rows):
        assert torch.equal(some.cpu(), cache.cpu().view(8, 2, -1)[[4, 5, 6, 7, 0, 1, 0, 1, 2]])
    cache = torch.zeros(2, 4, 2, 16).half().npu()
    NPU.npu_scatter_pa_cache(key.npu(), place.npu(), key_cache=cache)
    assert torch.equal(cache.cpu().view(8, 2, -1)[place[place >= 0].long()], key[place >= 0])


def graph_tensors():
    x = torch.ones(3).npu()
    NPU.print_npugraph_tensor(x, tensor_name="x")
    with tempfile.TemporaryDirectory() as folder:
        NPU.save_npugraph_tensor(x, save_path=folder + "/x.pt")
        torch.npu.synchronize()
        (name,) = os.listdir(folder)
        near(torch.load(f"{folder}/{name}"), torch.ones(3))


def changed():
    """A tensor that takes the place of another's elements."""
    x, y = torch.zeros(4).npu(), torch.arange(4.0).npu()
    assert NPU.npu_change_data_ptr(x, y, 0) == 0
    near(x, torch.arange(4.0))


def int4():
    """Eight numbers in an INT32, the first in the lowest bits."""
    numbers = torch.randint(-8, 8, (16, 32), dtype=torch.int32)
    found = NPU.npu_convert_weight_to_int4pack(numbers.npu()).cpu()
    assert found.shape == (16, 4)
    bits = (found[..., None] >> (4 * torch.arange(8))) & 15
    assert torch.equal(torch.where(bits > 7, bits - 16, bits).reshape(16, 32), numbers)


def stft():
    x = torch.randn(64, requires_grad=True)
    y = torch.view_as_real(torch.stft(x, 16, window=torch.ones(16), center=False, return_complex=True))
    grad = torch.randn_like(y)
    (wanted,) = torch.autograd.grad(y, x, grad)
    near(NPU.stft_backward(grad.npu(), x.detach().npu(), 16).reshape(64), wanted)


if __name__ == "__main__":
    for function in (
        dropout, dropout_by_bytes, dropout_add_softmax, ones, storage, casts, swapped, quantised, scales, products,
        outputs_of_attention, softmax_in_place, exponential, prefetch, settings, lists, caches, graph_tensors,
        changed, int4, stft,
    ):
        function()
        torch.npu.synchronize()
