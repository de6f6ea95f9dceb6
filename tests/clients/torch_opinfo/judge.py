# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Whether a result of the device is right beside that of the CPU.

They agree where they differ by a few roundings of their dtype, or of the largest element, as sums may cancel. Where they do not, doubles decide: a result is as good
as the CPU's if it is at most twice as far from the doubles', or within the roundings.
"""
import torch

# Relative and absolute: PyTorch's own tolerances (torch.testing.assert_close), float32's with room for sums in another
# order.
TOLERANCE = {torch.float16: (1e-3, 1e-3), torch.bfloat16: (1.6e-2, 1e-3), torch.float32: (1e-5, 1e-5),
             torch.float64: (1e-7, 1e-7), torch.complex64: (1e-5, 1e-5), torch.complex128: (1e-7, 1e-7)}


def _plain(value):
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    if value.is_sparse:
        value = value.coalesce().to_dense()
    return value.cpu().resolve_conj().resolve_neg()


def _far(value, reference):
    """How far each element is, in units of what is allowed; infinite where one is a NaN or infinite and the other not."""
    rtol, atol = TOLERANCE[value.dtype]
    wide = torch.complex128 if value.is_complex() else torch.float64
    a, b = value.to(wide), reference.to(wide)
    same = (a == b) | (torch.isnan(a) & torch.isnan(b))
    size = b.abs()
    largest = torch.where(torch.isfinite(size), size, torch.zeros_like(size)).max() if size.numel() else 0.0
    distance = (a - b).abs() / (atol + rtol * size + rtol / 10 * largest)
    distance = torch.where(torch.isnan(distance), torch.full_like(distance, float("inf")), distance)
    return torch.where(same, torch.zeros_like(distance), distance)


def _fault(value, expected, reference):
    """What is wrong with one of the results, or None. reference() is that of doubles, or None."""
    if isinstance(expected, torch.Tensor) != isinstance(value, torch.Tensor):
        return f"{type(value).__name__} instead of {type(expected).__name__}"
    if not isinstance(expected, torch.Tensor):
        same = value == expected or value != value and expected != expected
        return None if same or type(expected) not in (int, float, bool, complex) else f"{value} instead of {expected}"
    if value.shape != expected.shape:
        return f"shape {tuple(value.shape)} instead of {tuple(expected.shape)}"
    if value.dtype != expected.dtype:
        return f"dtype {value.dtype} instead of {expected.dtype}"
    if value.dtype not in TOLERANCE:
        wrong = value != expected
        if not wrong.any():
            return None
        place = tuple(wrong.nonzero()[0].tolist())
        return f"{int(wrong.sum())} of {wrong.numel()}, at {place} {value[place].item()} instead of {expected[place].item()}"
    far = _far(value, expected)
    if value.numel() == 0 or far.max() <= 1:
        return None
    exact = reference()
    if exact is not None and exact.shape == value.shape:
        exact = exact.to(torch.complex128 if value.is_complex() else torch.float64)
        ours, theirs = _far(value, exact), _far(expected, exact)
        bad = (ours > 1) & (ours > 2 * theirs) & (far > 1)
        if not bad.any():
            return None
        far = torch.where(bad, far, torch.zeros_like(far))
    place = tuple(int(i) for i in torch.unravel_index(far.argmax(), far.shape))
    said = "" if exact is None or exact.shape != value.shape else f", doubles say {exact[place].item()}"
    return f"{int((far > 1).sum())} of {far.numel()}, at {place} {value[place].item()} instead of {expected[place].item()}{said}"


def judge(values, expected, doubles):
    """None where all are right, or what is not. doubles() gives the results of doubles, or raises."""
    kept = []

    def reference(number):
        if not kept:
            try:
                kept.append([_plain(value) for value in doubles()])
            except Exception:  # noqa: BLE001 - there is none then
                kept.append(None)
        if kept[0] is None or number >= len(kept[0]) or not isinstance(kept[0][number], torch.Tensor):
            return None
        return kept[0][number]
    values, expected = [_plain(value) for value in values], [_plain(value) for value in expected]
    if len(values) != len(expected):
        return f"{len(values)} results instead of {len(expected)}"
    for number, (value, right) in enumerate(zip(values, expected)):
        fault = _fault(value, right, lambda number=number: reference(number))
        if fault:
            return f"result {number}: {fault}"
    return None
