# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch_npu's functions of boxes, regions and samples that call operators by name under Ascend910B3, beside formulas."""
import math

import torch
import torch_npu

torch.manual_seed(5)
N, npu = torch_npu, torch.ops.npu
is_910 = "950" not in N.npu.get_device_name()


def i32(value):
    return torch.tensor(value, dtype=torch.int32)


def check(name, found, wanted, tolerance=1e-5):
    found, wanted = [x if isinstance(x, (tuple, list)) else (x,) for x in (found, wanted)]
    assert len(found) == len(wanted), name
    for f, w in zip(found, wanted):
        f = f.detach().cpu()
        assert f.shape == w.shape, (name, f.shape, w.shape)
        assert torch.allclose(f.double(), w.detach().double(), tolerance, tolerance), (name, f, w)


def refused(name, function, words):
    """It raises with these words, and what is behind it is right."""
    try:
        function()
        torch.npu.synchronize()
    except RuntimeError as error:
        assert words in str(error), (name, error)
    else:
        raise AssertionError(f"{name} does not raise")
    assert (torch.ones(3).npu() + 2).cpu().tolist() == [3.0] * 3, name


def overlap(kind, a, b):
    """Of columns of centres and sizes; the weight of CIoU's last term is a constant."""
    sizes = a[2:], b[2:]
    a, b = [torch.cat([v[:2] - v[2:] / 2, v[:2] + v[2:] / 2]) for v in (a, b)]
    common = (torch.minimum(a[2:], b[2:]) - torch.maximum(a[:2], b[:2])).clamp_min(0).prod(0)
    both = sizes[0].prod(0) + sizes[1].prod(0) - common
    hull = torch.maximum(a[2:], b[2:]) - torch.minimum(a[:2], b[:2])
    if kind == "giou":
        return common / both - (hull.prod(0) - both) / hull.prod(0)
    apart = ((a[:2] + a[2:] - b[:2] - b[2:]) / 2).square().sum(0) / hull.square().sum(0)
    if kind == "diou":
        return common / both - apart
    v = 4 / math.pi**2 * (torch.atan(sizes[1][0] / sizes[1][1]) - torch.atan(sizes[0][0] / sizes[0][1])).square()
    return common / both - apart - (v / (1 - common / both + v)).detach() * v


def overlaps_and_gradients():
    a, b = torch.rand(4, 9) + 0.25, torch.rand(4, 9) + 0.25
    b[:2, ::3] += 3
    weights = torch.rand(9)
    for kind in "giou", "diou", "ciou":
        ours, theirs = [[v.npu().requires_grad_() for v in (a, b)], [v.double().requires_grad_() for v in (a, b)]]
        found = getattr(N, "npu_" + kind)(*ours, trans=True, is_cross=False, mode=0).flatten()
        wanted = overlap(kind, *theirs)
        check("npu_" + kind, found, wanted)
        (found * weights.npu()).sum().backward()
        (wanted * weights).sum().backward()
        check(f"npu_{kind}_backward", [v.grad for v in ours], [v.grad for v in theirs], 2e-5)
    # Called by themselves.
    theirs = [v.double().requires_grad_() for v in (a, b)]
    overlap("giou", *theirs).sum().backward()
    ones = torch.ones(9).npu()
    check("npu_giou_backward", npu.npu_giou_backward(ones, a.npu(), b.npu(), True, False, 0), [v.grad for v in theirs], 2e-5)
    theirs = [v.double().requires_grad_() for v in (a, b)]
    overlap("diou", *theirs).sum().backward()
    check("npu_diou_backward", npu.npu_diou_backward(ones, a.npu(), b.npu(), True, False, 0), [v.grad for v in theirs], 2e-5)
    angles = npu._npu_ciou(a.npu(), b.npu(), True, False, 0, True)[1]
    theirs = [v.double().requires_grad_() for v in (a, b)]
    overlap("ciou", *theirs).sum().backward()
    check("npu_ciou_backward", npu.npu_ciou_backward(ones, a.npu(), b.npu(), angles, True, False, 0), [v.grad for v in theirs], 2e-5)


def turned_boxes():
    """What is common of squares around one point is known by hand, and the coders' pages show an example of each."""
    boxes = torch.tensor([[[0.0, 0, 2, 2, 0], [0, 0, 2, 2, 45], [1, 0, 2, 2, 0], [9, 9, 2, 1, 30]]])
    root = math.sqrt(2)
    octagon = 8 * (root - 1)  # around a circle of radius 1
    # Of the square on its corner what lies right of 0, within 1 of the x axis.
    half = octagon / 2 + (root - 1) ** 2
    areas = torch.tensor([[[4, octagon, 2, 0], [octagon, 4, half, 0], [2, half, 4, 0], [0, 0, 0, 2.0]]])
    found = N.npu_rotated_overlaps(boxes.npu(), boxes.npu(), trans=False)
    check("npu_rotated_overlaps", found, areas)
    own = torch.tensor([4.0, 4, 4, 2])
    check("npu_rotated_iou", N.npu_rotated_iou(boxes.npu(), boxes.npu(), trans=False, mode=0, is_cross=True, v_threshold=0.0, e_threshold=0.0),
          areas / (own[:, None] + own - areas))
    check("npu_rotated_iou", N.npu_rotated_iou(boxes.npu(), boxes.npu(), trans=False, mode=1, is_cross=True), areas / own)
    anchor, box = [torch.tensor(v)[None, :, None].half().npu() for v in ([30.69, 32.6, 45.94, 59.88, -44.53], [30.44, 18.72, 33.22, 45.56, 8.5])]
    ones = torch.ones(5).half().npu()
    check("npu_rotated_box_encode", N.npu_rotated_box_encode(anchor, box, ones),
          torch.tensor([-0.4253, -0.5166, -1.7021, -0.0162, 1.1328])[None, :, None], 1e-3)
    anchor, code = [torch.tensor(v)[None, :, None].half().npu() for v in ([4.137, 33.72, 29.4, 54.06, 41.28], [0.0244, -1.992, 0.2109, 0.315, -37.25])]
    check("npu_rotated_box_decode", N.npu_rotated_box_decode(anchor, code, ones),
          torch.tensor([1.7861, -10.5781, 33.0, 17.2969, -88.4375])[None, :, None], 2e-3)
    chosen = N.npu_nms_rotated(boxes[0].npu(), torch.tensor([0.5, 0.75, 0.25, 0.125]).npu(), 0.5, 0, -1, 0)
    check("npu_nms_rotated", chosen, (i32([1, 2, 3]), i32([3])))
    chosen = N.npu_nms_rotated(boxes[0].npu(), torch.tensor([0.5, 0.75, 0.25, 0.125]).npu(), 0.5, 0.25, 1, 0)
    check("npu_nms_rotated", chosen, (i32([1]), i32([1])))


def best_and_regions():
    boxes = torch.tensor([[0.0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]).half()[None, :, None]
    scores = torch.tensor([[0.5, 0.25], [0.75, 0.125], [0.25, 0.5]]).half()[None]
    found = N.npu_batch_nms(boxes.npu(), scores.npu(), 0.2, 0.5, 2, 5)
    best = torch.zeros(1, 5, 4)
    best[0, :4] = boxes[0, [1, 2, 2, 0], 0]
    check("npu_batch_nms", found, (best, torch.tensor([[0.75, 0.5, 0.25, 0.25, 0]]), torch.tensor([[0, 1, 0, 1, 0]]), i32([4])))
    refused("npu_batch_nms", lambda: N.npu_batch_nms(boxes.npu(), scores.npu(), 0.2, 0.5, 2, 5, False, True), "transpose_box")
    x = torch.arange(32.0).reshape(1, 8, 2, 2).half()
    rois = torch.tensor([[0.0, 0, 0, 3, 3]]).half().reshape(1, 5, 1)
    corner = torch.stack([x[0, c, c % 4 // 2, c % 2] for c in range(8)]).reshape(1, 2, 2, 2)
    check("npu_ps_roi_pooling", N.npu_ps_roi_pooling(x.npu(), rois.npu(), 0.5, 2, 2), corner)
    dy = torch.rand(1, 2, 2, 2).half()
    back = torch.zeros(1, 8, 2, 2)
    for c in range(8):
        back[0, c, c % 4 // 2, c % 2] = dy.flatten()[c]
    check("npu_ps_roi_pooling_backward", npu.npu_ps_roi_pooling_backward(dy.npu(), rois.npu(), 0.5, 2, 2, [2, 2]), back)


def anchors():
    anchor, box = torch.tensor([[0.0, 0, 8, 8], [8, 8, 16, 24]]), torch.tensor([[2.0, 2, 6, 10], [0, 0, 8, 8]])
    code = torch.tensor([[0.5, 0.75, math.log(0.5), 0], [1e-6, 1e-6, 0, math.log(0.5)]])
    check("npu_yolo_boxes_encode", N.npu_yolo_boxes_encode(anchor.npu(), box.npu(), i32([8, 8]).npu(), False), code)
    flags = torch.zeros(3, 4, 2, dtype=torch.uint8)
    flags[1, 2] = flags[0, 1] = 1
    check("npu_anchor_response_flags",
          N.npu_anchor_response_flags(torch.tensor([[4.0, 2, 6, 4], [2, 0, 4, 2], [90, 0, 91, 1]]).npu(), [3, 4], [2, 2], 2), flags.flatten())
    overlaps = torch.tensor([[0.75, 0.25, 0.75, 0.75], [0.25, 0.5, 0.125, 0.5]])
    (most, of_box), (box_most, of_anchor) = overlaps.max(0), overlaps.max(1)
    found = N.npu_grid_assign_positive(torch.zeros(4).npu(), overlaps.npu(), torch.tensor([1, 1, 1, 0], dtype=torch.uint8).npu(), most.npu(),
                                       of_box.int().npu(), box_most.npu(), of_anchor.int().npu(), 128, 0.7, 0.0, True)
    check("npu_grid_assign_positive", found, torch.tensor([1.0, 2, 1, 0]))


def samples():
    x = torch.rand(6, 5) > 0.5
    index, mask = N.npu_random_choice_with_mask(x.npu(), 9, 1, 0)
    assert mask.all() and x[index[:, 0].cpu().long(), index[:, 1].cpu().long()].all() and len(torch.unique(index.cpu(), dim=0)) == 9
    again = N.npu_random_choice_with_mask(x.npu(), 9, 1, 0)[0]
    other = N.npu_random_choice_with_mask(x.npu(), 9, 2, 0)[0]
    assert torch.equal(index, again) and not torch.equal(index, other)
    index, mask = N.npu_random_choice_with_mask(x.npu(), 40, 1, 0)
    assert mask.sum() == x.sum() and torch.equal(mask.cpu(), torch.arange(40) < x.sum()) and (index[int(x.sum()):] == 0).all()
    seen = torch.zeros(6, 5)
    for seed in range(1, 200):
        index = N.npu_random_choice_with_mask(x.npu(), 1, seed, 0)[0].cpu()
        seen[index[0, 0], index[0, 1]] += 1
    assert torch.equal(seen > 0, x), seen
    labels = torch.tensor([1, 0, -1] * 20, dtype=torch.int32)
    found = [N.npu_sub_sample(labels.npu(), 12, 0.25).cpu() for _ in range(4)]
    for one in found:
        assert (one == 1).sum() == 3 and (one == 0).sum() == 9 and torch.equal(one[one >= 0], labels[one >= 0])
    assert any(not torch.equal(one, found[0]) for one in found)


def adam():
    var, m, v, grad = torch.rand(5), torch.rand(5), torch.rand(5), torch.rand(5)
    for mode, most in (0, -1.0), (1, 1.0):
        cut = grad * (1 if most < 0 else most / (2 + 1e-6))
        m1, v1 = 0.9 * m + 0.1 * cut, 0.99 * v + 0.01 * cut * cut
        update = m1 / (v1.sqrt() + 1e-6)
        wanted = var - (0.1 * (update + 0.01 * var) if mode == 0 else 0.5 * update + 0.1 * 0.01 * var)
        found = N.npu_bert_apply_adam(0.1, 0.9, 0.99, 1e-6, grad.npu(), most, 2.0, 0.01, *(() if mode == 0 else (0.5, 1)),
                                      out=(var.npu(), m.npu(), v.npu()))
        check("npu_bert_apply_adam", found, (wanted, m1, v1))


if is_910:
    overlaps_and_gradients()
    turned_boxes()
    best_and_regions()
    anchors()
    samples()
    adam()
    pair = torch.rand(1, 3, 5).npu()
    refused("npu_rotated_iou", lambda: N.npu_rotated_iou(pair, pair, False, 0, False), "out has shape [1, 3, 3]")
print("boxes, regions, samples")
