# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Operators by name, of boxes, regions, anchors and samples, and the step of BERT's optimizer."""
import math

from entry import entry, equal
import torch
import torch_npu as N

A, B = torch.tensor([[5.0, 4], [5, 4], [10, 4], [10, 4]]), torch.tensor([[5.0, 5], [5, 6], [10, 6], [20, 4]])


def shares(a, b):
    """(GIoU, DIoU, CIoU) of columns of centres and sizes; the weight of CIoU's last term is a constant."""
    low = torch.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    high = torch.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2)
    hull = torch.maximum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2) - torch.minimum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    common = (high - low).clamp_min(0).prod(0)
    both = a[2:].prod(0) + b[2:].prod(0) - common
    share, apart = common / both, (a[:2] - b[:2]).square().sum(0) / hull.square().sum(0)
    v = 4 / math.pi**2 * (torch.atan(b[2] / b[3]) - torch.atan(a[2] / a[3])).square()
    return share - 1 + both / hull.prod(0), share - apart, share - apart - (v / (1 - share + v)).detach() * v


@entry("5 CIoU", "npu_ciou beside its formula")
def ciou():
    found = N.npu_ciou(A.npu(), B.npu(), trans=True, is_cross=False, mode=0)
    assert found.shape == (1, 2)
    equal(found[0], shares(A.double(), B.double())[2].float(), 1e-6)


@entry("5 gradients of boxes", "npu_giou_backward, npu_diou_backward, npu_ciou_backward beside autograd in DOUBLE")
def gradients():
    for place, kind in enumerate(("giou", "diou", "ciou")):
        ours, theirs = [[v.npu().requires_grad_() for v in (A, B)], [v.double().requires_grad_() for v in (A, B)]]
        getattr(N, "npu_" + kind)(*ours, trans=True, is_cross=False, mode=0).sum().backward()
        shares(*theirs)[place].sum().backward()
        for found, wanted in zip(ours, theirs):
            equal(found.grad, wanted.grad.float(), 1e-6)


@entry("5 rotated boxes", "overlaps, shares, encode, decode, NMS of boxes that are turned")
def rotated():
    boxes = torch.tensor([[[0.0, 0, 2, 2, 0], [0, 0, 2, 2, 45], [1, 0, 2, 2, 90]]]).npu()
    octagon = 8 * (math.sqrt(2) - 1)
    found = N.npu_rotated_overlaps(boxes, boxes, trans=False)[0]
    equal(found[0], torch.tensor([4, octagon, 2]), 1e-6)
    equal(N.npu_rotated_iou(boxes, boxes, trans=False, mode=0, is_cross=True)[0, 0], torch.tensor([1, octagon / (8 - octagon), 1 / 3]), 1e-6)
    anchor, box = [torch.tensor(v)[None, :, None].half().npu() for v in ([30.69, 32.6, 45.94, 59.88, -44.53], [30.44, 18.72, 33.22, 45.56, 8.5])]
    weight = torch.ones(5).half().npu()
    code = N.npu_rotated_box_encode(anchor, box, weight)
    equal(code.flatten(), torch.tensor([-0.4253, -0.5166, -1.7021, -0.0162, 1.1328]).half(), 2e-3)
    equal(N.npu_rotated_box_decode(anchor, code, weight), box.cpu(), 0.1)
    index, count = N.npu_nms_rotated(boxes[0], torch.tensor([0.5, 0.75, 0.25]).npu(), 0.5, 0, -1, 0)
    assert index.cpu().tolist() == [1, 2] and count.cpu().tolist() == [2]


@entry("5 batch NMS", "npu_batch_nms")
def batch_nms():
    boxes = torch.tensor([[0.0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]).half()[None, :, None]
    scores = torch.tensor([[0.5, 0.25], [0.75, 0.125], [0.25, 0.5]]).half()[None]
    found = [v.cpu().tolist() for v in N.npu_batch_nms(boxes.npu(), scores.npu(), 0.2, 0.5, 2, 5)]
    assert found[1:] == [[[0.75, 0.5, 0.25, 0.25, 0]], [[0, 1, 0, 1, 0]], [4]], found
    assert found[0][0] == [*[boxes[0, k, 0].tolist() for k in (1, 2, 2, 0)], [0] * 4], found


@entry("5 anchors", "npu_yolo_boxes_encode, npu_anchor_response_flags, npu_grid_assign_positive")
def anchors():
    box, anchor = torch.tensor([[2.0, 2, 6, 10]]).npu(), torch.tensor([[0.0, 0, 8, 8]]).npu()
    equal(N.npu_yolo_boxes_encode(anchor, box, torch.tensor([8], dtype=torch.int32).npu(), False), torch.tensor([[0.5, 0.75, math.log(0.5), 0]]), 1e-6)
    flags = N.npu_anchor_response_flags(box, [3, 4], [2, 3], 2).cpu()
    assert flags.nonzero().flatten().tolist() == [20, 21], flags
    whole = torch.tensor([0, 0], dtype=torch.int32).npu()
    found = N.npu_grid_assign_positive(torch.tensor([0.0, -1]).npu(), torch.tensor([[0.75, 0.25]]).npu(), torch.tensor([1, 1], dtype=torch.uint8).npu(),
                                       torch.tensor([0.75, 0.25]).npu(), whole, torch.tensor([0.75]).npu(), whole[:1], 1, 0.5, 0.0, False)
    assert found.cpu().tolist() == [1, -1], found


@entry("5 regions", "npu_ps_roi_pooling and its gradient")
def regions():
    x, roi = torch.arange(16.0).reshape(1, 4, 2, 2).half().npu(), torch.tensor([0.0, 0, 0, 3, 3]).half().reshape(1, 5, 1).npu()
    assert N.npu_ps_roi_pooling(x, roi, 0.5, 2, 1).flatten().tolist() == [0, 5, 10, 15]
    back = torch.ops.npu.npu_ps_roi_pooling_backward(torch.ones(1, 1, 2, 2).half().npu(), roi, 0.5, 2, 1, [2, 2]).cpu()
    assert back.nonzero()[:, 1:].tolist() == [[0, 0, 0], [1, 0, 1], [2, 1, 0], [3, 1, 1]], back


@entry("5 samples", "npu_random_choice_with_mask, npu_sub_sample")
def samples():
    index, mask = N.npu_random_choice_with_mask(torch.tensor([False, True, False, True]).npu(), 3, 1, 0)
    assert mask.cpu().tolist() == [True, True, False] and sorted(index.flatten().tolist()) == [0, 1, 3]
    found = N.npu_sub_sample(torch.tensor([1, 0, -1, 1, 0, 0], dtype=torch.int32).npu(), 3, 0.4).cpu()
    assert found.eq(1).sum() == 1 and found.eq(0).sum() == 2 and found[2] == -1, found


@entry("5 BERT's Adam", "npu_bert_apply_adam, both ways")
def adam():
    var, m, v, grad = [torch.tensor([1.0, 2]) * k for k in (1, 0.5, 0.25, 3)]
    for mode, most in (0, -1.0), (1, 1.0):
        cut = grad * (1 if most < 0 else 1 / (2 + 1e-6))
        m1, v1 = 0.9 * m + 0.1 * cut, 0.99 * v + 0.01 * cut * cut
        update = m1 / (v1.sqrt() + 1e-6)
        wanted = var - (0.1 * (update + 0.01 * var) if mode == 0 else 0.5 * update + 0.001 * var)
        found = N.npu_bert_apply_adam(0.1, 0.9, 0.99, 1e-6, grad.npu(), most, 2.0, 0.01, *((0.5, 1) if mode else ()), out=(var.npu(), m.npu(), v.npu()))
        for one, other in zip(found, (wanted, m1, v1)):
            equal(one, other, 1e-5)


@entry("5 attention", "npu_fused_attention_score and its gradients")
def attention():
    q, k, v = [torch.linspace(-1, 1, 2 * 32 * 16).reshape(1, 2, 32, 16).roll(shift, 3).half() for shift in (0, 3, 7)]
    added = torch.linspace(-2, 2, 2 * 32 * 32).reshape(1, 2, 32, 32).half()
    ours, theirs = [[x.to(place).to(dtype).requires_grad_() for x in (q, k, v)] for place, dtype in (("npu", torch.half), ("cpu", torch.float))]
    found = N.npu_fused_attention_score(*ours, added.npu(), 0.25, 1.0)
    wanted = ((theirs[0] @ theirs[1].mT * 0.25 + added.float()).softmax(-1) @ theirs[2]).transpose(1, 2).reshape(32, 32)
    equal(found, wanted.detach().half(), 2e-3)
    for result in found, wanted:
        (result * torch.linspace(0, 1, 1024).reshape(32, 32).to(result)).sum().backward()
    for one, other in zip(ours, theirs):
        equal(one.grad, other.grad.half(), 5e-3)
