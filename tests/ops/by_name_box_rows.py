#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes by_name_box_rows.h: calls of kinds of boxes, with results by their published formulas in double.

    TORCH_DEVICE_BACKEND_AUTOLOAD=0 python3 tests/ops/by_name_box_rows.py >tests/ops/by_name_box_rows.h
"""
import math

import torch

from by_name_text import Any_, Place, r, row, write

torch.manual_seed(11)


def i32(value):
    return torch.tensor(value, dtype=torch.int32)


def boxes_of(count):
    low = r(count, 2)
    return torch.cat([low, low + r(count, 2).abs() + 0.5], 1)


def columns(boxes, has_centres):
    return (torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1) if has_centres else boxes).t().contiguous()


def distance(kind, a, b, has_centres, crosses, of_others):
    """A row for each of b, or one; and of CIoU the difference of the angles."""
    a, b = a[:, None, :], b[:, :, None] if crosses else b[:, None, :]
    if has_centres:
        a, b = [torch.cat([v[:2] - v[2:] / 2, v[:2] + v[2:] / 2]) for v in (a, b)]
    low, high = torch.maximum(a[:2], b[:2]), torch.minimum(a[2:], b[2:])
    common = (high - low).clamp_min(0).prod(0)
    own, second = [(v[2:] - v[:2]).prod(0) for v in (a, b)]
    both = own + second - common
    share = common / (second if of_others else both)
    hull = torch.maximum(a[2:], b[2:]) - torch.minimum(a[:2], b[:2])
    if kind == "GIoU":
        return share - (hull.prod(0) - both) / hull.prod(0)
    apart = ((a[:2] + a[2:] - b[:2] - b[2:]) / 2).square().sum(0) / hull.square().sum(0)
    if kind == "DIoU":
        return share - apart
    angles = [torch.atan((v[2] - v[0]) / (v[3] - v[1])) for v in (a, b)]
    angles = (angles[1] - angles[0]).expand(share.shape)
    v = 4 / math.pi**2 * angles.square()
    weight = (v / (1 - share + v)).detach()  # as torchvision has it
    return share - apart - weight * v, angles


for has_centres, crosses, mode in (False, True, "iou"), (True, False, "iou"), (False, False, "iof"), (True, True, "iof"):
    a = columns(boxes_of(4), has_centres)
    b = columns(boxes_of(3 if crosses else 4), has_centres)
    b[:, 0] = a[:, 0] + 0.125  # which do overlap
    how = dict(trans=has_centres, is_cross=crosses, mode=mode)
    for kind in "GIoU", "DIoU", "CIoU":
        leaves = [v.double().requires_grad_() for v in (a, b)]
        found = distance(kind, *leaves, has_centres, crosses, mode == "iof")
        found, angles = found if kind == "CIoU" else (found, None)
        if kind == "CIoU":
            row(kind, [a, b], [found.detach(), angles.detach()], atan_sub_flag=True, **how)
        dy = r(*found.shape)
        found.backward(dy.double())
        gradients = [v.grad for v in leaves]
        assert all(v.abs().min() > 1e-4 or v.abs().max() > 0.01 for v in gradients)
        if kind == "CIoU":
            row("CIoUGrad", [dy, a, b, angles.detach()], gradients, **how)
            row("CIoUGrad", [dy, a, b, None], gradients, **how)
        else:
            row(kind + "Grad", [dy if crosses else dy.flatten(), a, b], gradients, **how)
a, b = [columns(v, True).half() for v in (boxes_of(2), boxes_of(2) / 4)]
found, angles = distance("CIoU", a.double(), b.double(), True, False, False)
row("CIoU", [a, b], [found.half(), angles.half()], trans=True, is_cross=False, mode="iou", atan_sub_flag=False)


def corners_of(box, has_corners):
    x, y, w, h, angle = box.tolist()
    if has_corners:
        x, y, w, h = (x + w) / 2, (y + h) / 2, w - x, h - y
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return [(x + c * u * w / 2 - s * v * h / 2, y + s * u * w / 2 + c * v * h / 2) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def cross(o, p, q):
    return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])


def area_of(points):
    """Of the convex hull of points, in the order of their angles around the middle."""
    if len(points) < 3:
        return 0.0
    middle = [sum(p[k] for p in points) / len(points) for k in range(2)]
    points = sorted(points, key=lambda p: math.atan2(p[1] - middle[1], p[0] - middle[0]))
    return sum(cross(middle, points[k - 1], points[k]) for k in range(len(points))) / 2


def common_of(a, b, has_corners=False):
    """By where sides meet and the corners that lie inside."""
    a, b = corners_of(a, has_corners), corners_of(b, has_corners)

    def is_inside(p, box):
        sides = [cross(box[k - 1], box[k], p) for k in range(4)]
        return all(v >= 0 for v in sides) or all(v <= 0 for v in sides)

    points = [p for p in a if is_inside(p, b)] + [p for p in b if is_inside(p, a)]
    for i in range(4):
        for k in range(4):
            p, q, u, v = a[i - 1], a[i], b[k - 1], b[k]
            d = (q[0] - p[0]) * (v[1] - u[1]) - (q[1] - p[1]) * (v[0] - u[0])
            if d == 0:
                continue
            s = ((u[0] - p[0]) * (v[1] - u[1]) - (u[1] - p[1]) * (v[0] - u[0])) / d
            t = ((u[0] - p[0]) * (q[1] - p[1]) - (u[1] - p[1]) * (q[0] - p[0])) / d
            if 0 <= s <= 1 and 0 <= t <= 1:
                points.append((p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])))
    return area_of(points)


def turned_of(count, has_corners):
    boxes = torch.cat([r(count, 2), r(count, 2).abs() + 1, 100 * r(count, 1)], 1)
    if has_corners:
        boxes[:, :4] = torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:4]], 1)
    return boxes


def size_of(box, has_corners):
    w, h = (box[2:4] - box[:2] if has_corners else box[2:4]).tolist()
    return abs(w * h)


for has_corners in False, True:
    a, b = [torch.stack([turned_of(n, has_corners) for _ in range(2)]) for n in (3, 4)]
    b[0, 0], b[0, 1], b[1, 1] = a[0, 0], a[0, 0], a[1, 1]
    b[0, 1, 4] += 90
    common = torch.tensor([[[common_of(p, q, has_corners) for q in b[n]] for p in a[n]] for n in range(2)], dtype=torch.float64)
    assert abs(common[0, 0, 0] - size_of(a[0, 0], has_corners)) < 1e-9 and (common > 0).sum() > 8 and (common == 0).any()
    own, second = [torch.tensor([[size_of(p, has_corners) for p in v[n]] for n in range(2)], dtype=torch.float64) for v in (a, b)]
    shares = {"iou": common / (own[:, :, None] + second[:, None] - common), "iof": common / second[:, None].expand(common.shape)}
    turned = [v.transpose(1, 2).contiguous() for v in (a, b)]
    row("RotatedOverlaps", turned, [common], trans=has_corners)
    for mode, share in shares.items():
        row("RotatedIou", turned, [share], trans=has_corners, mode=mode, is_cross=True)
    pairs = torch.stack([shares["iou"][n].diagonal() for n in range(2)])
    row("RotatedIou", [turned[0], turned[1][:, :, :3].contiguous()], [pairs], trans=has_corners, mode="iou", is_cross=False)


def encode_turned(anchor, box, weight):
    size, of_box = anchor[:, 2:4] - anchor[:, :2], box[:, 2:4] - box[:, :2]
    apart = (box[:, :2] + box[:, 2:4] - anchor[:, :2] - anchor[:, 2:4]) / 2 / size
    angle = torch.tan(torch.deg2rad(box[:, 4:])) - torch.tan(torch.deg2rad(anchor[:, 4:]))
    return torch.cat([apart, (of_box / size).log(), angle], 1) * torch.tensor(weight)[:, None]


anchor, box = [torch.stack([turned_of(3, True) for _ in range(2)]).transpose(1, 2).contiguous() for _ in range(2)]
anchor[:, 4], box[:, 4] = anchor[:, 4] % 90 - 45, box[:, 4] % 90 - 45
for weight in [1.0] * 5, [2.0, 0.5, 4.0, 1.5, 0.25]:
    code = encode_turned(anchor.double(), box.double(), weight)
    row("RotatedBoxEncode", [anchor, box], [code], weight=weight)
    code = code.float()
    row("RotatedBoxDecode", [anchor, code], [box], weight=weight)


def first_of_order(order, overlaps, threshold):
    kept = []
    for i in order:
        if all(overlaps(i, k) <= threshold for k in kept):
            kept.append(i)
    return kept


boxes = torch.cat([r(8, 2), r(8, 2).abs() + 1, 100 * r(8, 1)], 1)
boxes[4:6] = boxes[:2] + torch.tensor([0.125, 0, 0, 0.25, 5])
score = torch.arange(8.0)[torch.randperm(8)] / 8


def turned_share(i, k):
    common = common_of(boxes[i], boxes[k])
    return common / (size_of(boxes[i], False) + size_of(boxes[k], False) - common)


labels = i32([0, 0, 0, 0, 1, 0, 1, 1])
for label, least, most in (None, 0.0, -1), (i32(0), 0.25, -1), (labels, 0.0, -1), (None, -1.0, 2):
    by = labels.tolist() if label is not None and label.dim() else [0] * 8
    order = [i for i in score.argsort(descending=True).tolist() if score[i] > least]
    kept = first_of_order(order, lambda i, k: turned_share(i, k) if by[i] == by[k] else 0, 0.25)
    kept = kept[:most] if most >= 0 else kept
    assert len(kept) < len(order)
    best, index = torch.zeros(8, 5), torch.zeros(8).int()
    best[:len(kept)], index[:len(kept)] = boxes[kept], i32(kept)
    row("RotatedNMS", [boxes, score, label], [best, index], iou_threshold=0.25, score_threshold=least, max_output_size=most, mode=0)


def share(a, b):
    common = (torch.min(a[2:], b[2:]) - torch.max(a[:2], b[:2])).clamp_min(0).prod()
    return common / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - common)


def best_of_batch(boxes, scores, least, threshold, of_class, of_all):
    outs = [torch.zeros(len(boxes), of_all, 4), torch.zeros(len(boxes), of_all), torch.zeros(len(boxes), of_all), torch.zeros(len(boxes)).int()]
    for n, (box, score) in enumerate(zip(boxes, scores)):
        found = []
        for c in range(score.shape[1]):
            own = box[:, c if box.shape[1] > 1 else 0]
            order = [i for i in score[:, c].argsort(descending=True, stable=True).tolist() if score[i, c] > least]
            found += [(float(score[i, c]), c, own[i]) for i in first_of_order(order, lambda i, k: share(own[i], own[k]), threshold)[:of_class]]
        found = sorted(found, key=lambda v: -v[0])[:of_all]
        for k, (value, c, own) in enumerate(found):
            outs[0][n, k], outs[1][n, k], outs[2][n, k] = own, value, c
        outs[3][n] = len(found)
    return outs


for owners, most, dtype in (1, (3, 5), torch.float32), (3, (2, 12), torch.float32), (1, (9, 4), torch.float16):
    boxes = torch.stack([boxes_of(6 * owners).reshape(6, owners, 4) for _ in range(2)]).to(dtype)
    boxes[:, 3:5] = boxes[:, :2] + torch.tensor([0.0, 0, 0.125, 0])
    scores = (torch.randint(0, 16, (2, 6, 3)) / 16).to(dtype)
    outs = best_of_batch(boxes, scores, 0.25, 0.25, *most)
    row("BatchMultiClassNonMaxSuppression", [boxes, scores], [*[v.to(dtype) for v in outs[:3]], outs[3]], score_threshold=0.25,
        iou_threshold=0.25, max_size_per_class=most[0], max_total_size=most[1], change_coordinate_frame=False, transpose_box=False)

# mmdetection's coder, flags and assigner of YOLO.
anchor, box, stride = 8 * boxes_of(4), 8 * boxes_of(4), i32([8, 16, 32, 1])
anchor[3], box[2] = box[3] + torch.tensor([2.0, 0, 4, 1]), anchor[2] + torch.tensor([1.0, 2, 1, 2])
box[1, 2:] = box[1, :2]
centre, size = [lambda v: (v[:, :2] + v[:, 2:]) / 2, lambda v: v[:, 2:] - v[:, :2]]
code = torch.cat([((centre(box.double()) - centre(anchor.double())) / stride[:, None] + 0.5).clamp(1e-6, 1 - 1e-6),
                  (size(box.double()) / size(anchor.double())).clamp_min(1e-6).log()], 1)
for mode in "high_precision", "high_performance":
    row("YoloBoxesEncode", [anchor, box, stride], [code], performance_mode=mode)
box = torch.tensor([[0.0, 0, 3, 2], [2, 4, 6, 8], [2, 4, 6, 9], [9, 9, 30, 30], [-9, 0, -2, 2]])
flags = torch.zeros(4, 5, 3, dtype=torch.uint8)
for x, y in centre(box).tolist():
    x, y = math.floor(x / 2), math.floor(y / 3)
    if 0 <= x < 5 and 0 <= y < 4:
        flags[y, x] = 1
row("AnchorResponseFlags", [box], [flags.flatten()], featmap_size=[4, 5], strides=[2, 3], num_base_anchors=3)
overlaps = torch.tensor([[0.25, 0.75, 0.125, 0.875, 0.5, 0, 0.25]] * 3)
overlaps[1] = overlaps[0].flip(0)
overlaps[2] = torch.tensor([0.25] * 6 + [0.0])
given, flags = torch.arange(7.0) - 1, torch.tensor([1, 1, 0, 1, 1, 1, 1], dtype=torch.uint8)
(most, of_box), (box_most, of_anchor) = overlaps.max(0), overlaps.max(1)
for real, least, takes_all in (3, 0.125, True), (128, 0.125, False), (2, 0.0, True), (3, 0.5, False), (3, 2.0, True):
    wanted = given.clone()
    for k in range(7):
        if flags[k] and most[k] > 0.5:
            wanted[k] = of_box[k] + 1
    for n in range(min(real, 3)):
        for k in range(7):
            if box_most[n] > least and flags[k] and (overlaps[n, k] == box_most[n] if takes_all else of_anchor[n] == k):
                wanted[k] = n + 1
    row("GridAssignPositive", [given, overlaps, flags, most, of_box.int(), box_most, of_anchor.int(), i32([real])], [wanted],
        pos_iou_thr=0.5, min_pos_iou=least, gt_max_assign_all=takes_all)

# R-FCN's pooling.
x = r(2, 8, 4, 5)
rois = torch.tensor([[[1.0, 0], [2, 0.5], [1, 1], [7, 8], [6, 4]], [[0.0, 3], [0, 1], [9, 1], [3, 5], [12, 5]]])  # image, x0, y0, x1, y1


def away(value):
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def bins(scale, group, height, width):
    """Of each region and bin its image and elements."""
    for n, roi in enumerate(rois.transpose(1, 2).reshape(-1, 5).tolist()):
        begin = [away(roi[2]) * scale, away(roi[1]) * scale]
        each = [max((away(v) + 1) * scale - b, 0.1) / group for v, b in zip((roi[4], roi[3]), begin)]
        for i in range(group):
            for k in range(group):
                low = [math.floor(p * e + b) for p, e, b in zip((i, k), each, begin)]
                high = [math.ceil((p + 1) * e + b) for p, e, b in zip((i, k), each, begin)]
                cut = [slice(max(a, 0), max(min(z, s), 0)) for a, z, s in zip(low, high, (height, width))]
                yield n, int(roi[0]), i, k, cut


def region_means(x, scale=0.5, group=2, channels=2):
    out = torch.zeros(4, channels, group, group, dtype=x.dtype)
    for n, image, i, k, cut in bins(scale, group, 4, 5):
        for c in range(channels):
            if 0 <= image < 2 and x[image, 0][cut[0], cut[1]].numel():
                out[n, c, i, k] = x[image, (c * group + i) * group + k][cut[0], cut[1]].mean()
    return out


leaf = x.double().requires_grad_()
found = region_means(leaf)
assert (found == 0).any() and (found != 0).sum() > 8
row("PSROIPoolingV2", [x, rois], [found.detach()], spatial_scale=0.5, output_dim=2, group_size=2)
dy = r(4, 2, 2, 2)
found.backward(dy.double())
row("PSROIPoolingGradV2D", [dy, rois], [leaf.grad], spatial_scale=0.5, group_size=2, output_dim=2, input_size=[4, 5])
plane = torch.arange(1.0, 37).reshape(1, 1, 6, 6)  # which torch_npu's description of npu_roi_align shows
roi = torch.tensor([[0, -2.0, -2.0, 22.0, 22.0]])
row("ROIAlign", [plane, roi], [torch.tensor([[[[4.5, 6.5, 8.5], [16.5, 18.5, 20.5], [28.5, 30.5, 32.5]]]])], spatial_scale=0.25,
    pooled_height=3, pooled_width=3, sample_num=2, roi_end_mode=0)
# Two samples of a bin and axis, each between two elements: by hand from what each gives.
weights = torch.zeros(6, 6, 3, dtype=torch.float64)
for bin_ in range(3):
    for sample in range(2):
        at = min(max(-0.5 + (bin_ * 2 + sample + 0.5), 0), 5)
        low = int(at)
        weights[low, min(low, 5), bin_] += (1 - (at - low)) / 2
        weights[min(low + 1, 5), min(low + 1, 5), bin_] += (at - low) / 2
line = torch.stack([weights[k, k] for k in range(6)])
dy = r(1, 1, 3, 3)
row("ROIAlignGrad", [dy, roi], [(line @ dy[0, 0].double() @ line.t())[None, None]], xdiff_shape=[1, 1, 6, 6], pooled_width=3, pooled_height=3,
    spatial_scale=0.25, sample_num=2, roi_end_mode=0)

# What is drawn is compared where there is no choice.
x = torch.tensor([[True, False, False], [False, False, False]])
row("RandomChoiceWithMask", [x], [i32([[0, 0], [0, 0]]), torch.tensor([True, False])], count=2, seed=3, seed2=0)
row("RandomChoiceWithMask", [x.flip(0, 1)], [i32([[1, 2], [0, 0]]), torch.tensor([True, False])], count=2, seed=3, seed2=0)
row("RandomChoiceWithMask", [torch.ones(4).bool()], [Any_(torch.zeros(2, 1).int()), torch.ones(2).bool()], count=2)
label = i32([1, 0, -1, 0, 0, 1])
row("SubSample", [label], [label], batch_size_per_images=6, positive_fraction=0.5)
row("SubSample", [label], [i32([-1, 0, -1, 0, 0, -1])], batch_size_per_images=3, positive_fraction=0.25)
row("SubSample", [i32([1, 2, -1, 0])], [i32([1, 2, -1, -1])], batch_size_per_images=2, positive_fraction=1.0)

# BERT's Adam and fairseq's.
var, m, v, g = r(2, 3), r(2, 3), r(2, 3).abs() + 0.25, r(2, 3)
lr, beta1, beta2, epsilon, decay, step = [torch.tensor(k) for k in (0.125, 0.75, 0.5, 0.0625, 0.25, 0.375)]
for mode, most, norm in ("adam", -1.0, 8.0), ("adam", 2.0, 8.0), ("adam", 8.0, 2.0), ("mbart_adam", 2.0, 8.0):
    cut = g.double() * (min(1.0, most / (norm + 1e-6)) if most > 0 else 1)
    m1, v1 = beta1 * m.double() + (1 - beta1) * cut, beta2 * v.double() + (1 - beta2) * cut.square()
    update = m1 / (v1.sqrt() + epsilon)
    change = lr * (update + decay * var) if mode == "adam" else step * update + lr * decay * var
    inputs = [var, m, v, lr, beta1, beta2, epsilon, g, torch.tensor(most), torch.tensor(norm), decay]
    row("ApplyAdamV2", inputs + [step] * (mode != "adam"), [Place(0, var - change), Place(1, m1), Place(2, v1)], adam_mode=mode)

write("by_name_box_rows.py", "published formulas")
