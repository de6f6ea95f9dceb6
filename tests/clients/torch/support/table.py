# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Tables of cases: PyTorch's functions on the device "npu", forward and backward, against the CPU.

A program has a table and runs it, with a line for each case that differs and a count at the end:

    run([Case("torch.add", torch.add, (3, 5), (5,)), ...])

Each case runs in each of its dtypes and layouts. The CPU computes in a wider dtype from the same
values, and what comes out must agree within what the dtype can hold.

With BELAY_RECORD=FILE each case runs once, and FILE gets a line with the names of the operator
functions that torch_npu looked up for it: scripts/torch_calls.sh makes a list of them.
"""

import ctypes
import os
import re
import sys
import tempfile

import torch

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
SINGLE = (torch.float32,)
INTEGERS = (torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8)
WIDER = {torch.float32: torch.float64, torch.float16: torch.float32, torch.bfloat16: torch.float32}
TOLERANCE = {torch.float32: 1e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2}


class Input:
    """A tensor of a case: of the case's dtype, where it has none of its own."""

    def __init__(self, shape, make, dtype=None, grad=True):
        self.shape, self.make, self.dtype, self.grad = shape, make, dtype, grad


def normal(*shape):
    return Input(shape, lambda s: torch.randn(s, dtype=torch.float64) * 2)


def fixed(*shape):
    """Whose gradient is not asked for."""
    return Input(shape, lambda s: torch.randn(s, dtype=torch.float64), grad=False)


def between(low, high, *shape):
    return Input(shape, lambda s: torch.rand(s, dtype=torch.float64) * (high - low) + low)


def distinct(*shape):
    """No two elements are equal, in 16 bits neither: at most 512 of them."""
    return Input(shape, lambda s: (torch.randperm(s.numel()).reshape(s).double() - s.numel() // 2) / 8)


def whole(low, high, *shape, dtype=torch.int64):
    """Whole numbers from low to high - 1: indices and classes."""
    return Input(shape, lambda s: torch.randint(low, high, s), dtype)


def small(*shape):
    """Small whole numbers of the case's dtype, so that some are equal."""
    return Input(shape, lambda s: torch.randint(0, 5, s).double())


def truth(*shape):
    return Input(shape, lambda s: torch.rand(s) < 0.5, torch.bool)


def values(*numbers, dtype=None):
    """These."""
    return Input((len(numbers),), lambda s: torch.tensor(numbers, dtype=torch.float64), dtype)


def contiguous(shape, make):
    return make(torch.Size(shape)), lambda x: x


def transposed(shape, make):
    return make(torch.Size(shape[::-1])), lambda x: x.permute(*reversed(range(x.dim())))


def sliced(shape, make):
    base = make(torch.Size([*shape[:-1], shape[-1] * 2 + 1]))
    return base, lambda x: x[..., 1::2]


def expanded(shape, make):
    return make(torch.Size([1, *shape[1:]])), lambda x: x.expand(shape)


LAYOUTS = (contiguous, transposed, sliced, expanded)


class Case:
    def __init__(
        self,
        name,
        function,
        *inputs,
        dtypes=FLOATS,
        grad=True,
        writes=False,
        loose=1,
        layouts=None,
        same=False,
        only=None,
    ):
        """grad: whether gradients are compared. writes: function changes its first input. loose: by how
        much more than one rounding or two the results may differ. same: the CPU computes in the
        dtype itself. only: a part of the products' names."""
        self.name, self.function, self.dtypes, self.loose = name, function, dtypes, loose
        self.inputs = [normal(*i) if isinstance(i, tuple) else i for i in inputs]
        self.grad, self.writes, self.same, self.only = grad and not writes, writes, same, only
        self.layouts = layouts or (LAYOUTS[:3] if writes else LAYOUTS)


def leaves(value):
    """All tensors and numbers of a result."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    return [] if value is None else [value]


def describe(what, got, wanted, tolerance):
    """What differs, or None."""
    if not isinstance(wanted, torch.Tensor):
        got, wanted = torch.as_tensor(got), torch.as_tensor(wanted)
    got = got.detach().cpu()
    if got.shape != wanted.shape:
        return f"{what} has shape {tuple(got.shape)} and not {tuple(wanted.shape)}"
    wanted = wanted.detach()
    if wanted.is_complex():
        got, wanted = torch.view_as_real(got), torch.view_as_real(wanted)
    if not (wanted.is_floating_point() or got.is_floating_point()):
        if torch.equal(got.to(wanted.dtype), wanted):
            return None
        place = (got.to(wanted.dtype) != wanted).nonzero()[0].tolist()
        return f"{what}{place} is {got[tuple(place)]} and not {wanted[tuple(place)]}"
    got, wanted = got.double(), wanted.double()
    finite = wanted[wanted.isfinite()].abs()
    slack = tolerance * (1e-3 + (finite.max().item() if finite.numel() else 0))
    near = torch.isclose(got, wanted, rtol=tolerance, atol=slack, equal_nan=True)
    if near.all():
        return None
    place = (~near).nonzero()[0].tolist()
    return f"{what}{place} is {got[tuple(place)].item():.9g} and not {wanted[tuple(place)].item():.9g}"


def once(function, inputs, seeds):
    """Results, what has become of the inputs, and gradients. seeds is filled in by the first call."""
    result = function(*inputs)
    outputs = leaves(result)
    gradients = []
    if seeds is not None:
        roots = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
        if not seeds:
            seeds.extend(torch.randn(o.shape, dtype=torch.float64) for o in roots)
        wanted = [i for i in inputs if i.requires_grad]
        if roots and wanted:
            gradients = torch.autograd.grad(
                roots, wanted, [s.to(r.dtype).to(r.device) for s, r in zip(seeds, roots)], allow_unused=True
            )
    return outputs, gradients


def attempt(case, dtype, layout):
    """What is wrong with the case, or None."""
    wide = dtype if case.same else WIDER.get(dtype, dtype)
    on_npu, on_cpu = [], []
    for given in case.inputs:
        base, view = (layout if given.shape else contiguous)(given.shape, given.make)
        base = base.to(given.dtype or dtype)
        device, host = view(base.npu()), view(base.to(wide) if base.is_floating_point() else base)
        if base.is_floating_point() and case.grad and given.grad:
            device, host = device.detach().requires_grad_(), host.detach().requires_grad_()
        on_npu.append(device)
        on_cpu.append(host if not case.writes else host.clone())
    tolerance = TOLERANCE.get(dtype, 1e-5) * case.loose
    seeds = [] if case.grad else None
    wanted, wanted_gradients = once(case.function, on_cpu, seeds)
    if seeds is not None and dtype in TOLERANCE:
        seeds[:] = [s.to(dtype).double() for s in seeds]
        if any(g is not None for g in wanted_gradients):
            wanted, wanted_gradients = once(case.function, on_cpu, seeds)
    got, gradients = once(case.function, on_npu, seeds)
    if len(got) != len(wanted):
        return f"{len(got)} results and not {len(wanted)}"
    for i, (a, b) in enumerate(zip(got, wanted)):
        if isinstance(b, torch.Tensor) and a.dtype not in (b.dtype, dtype if b.dtype == wide else b.dtype):
            return f"result {i} is of {a.dtype} and not {dtype if b.dtype == wide else b.dtype}"
        wrong = describe(f"result {i} ", a, b, tolerance)
        if wrong:
            return wrong
    for i, (a, b) in enumerate(zip(on_npu, on_cpu)) if case.writes else ():
        wrong = describe(f"input {i} ", a, b, tolerance)
        if wrong:
            return wrong
    for i, (a, b) in enumerate(zip(gradients, wanted_gradients)):
        if a is None or b is None:
            if (a is None) != (b is None):
                return f"gradient {i} is there on one device only"
            continue
        wrong = describe(f"gradient {i} ", a, b, tolerance * 2)
        if wrong:
            return wrong
    return None


class Stopped(Exception):
    """torch_npu runs nothing more after this, and does not say so: every later result is wrong."""


def told(case, dtype, layout):
    """The same, where an exception counts as wrong, too."""
    try:
        return attempt(case, dtype, layout)
    except Exception as error:  # what torch or the library refuses
        try:
            torch.npu.synchronize()
        except Exception:  # the same again, from the queue
            pass
        text = str(error)
        if "The process exits for this inner error" in text:
            raise Stopped(text.strip().splitlines()[0][:200]) from None
        absent = re.search(r"aclnn\w+ is not in this release|aclnn\w+ or aclnn\w+ not found", text)
        found = re.search(r"aclnn\w+: [^\n]*", text)
        return (
            (absent or found).group(0)[:200]
            if absent or found
            else f"{type(error).__name__}: {text.strip().splitlines()[0][:200] if text.strip() else ''}"
        )


def record(cases, path):
    """Adds a line for each case to the file: its name, and the functions that torch_npu looked up. It looks up each
    one once for each function of its own, and says so in its log, which is standard output here."""
    flush = ctypes.CDLL(None).fflush
    with tempfile.TemporaryFile() as log, open(path, "a") as lines:
        os.dup2(log.fileno(), 1)
        for case in cases:
            begin = os.fstat(1).st_size
            told(case, case.dtypes[0], contiguous)
            torch.npu.synchronize()
            flush(None)
            text = os.pread(1, os.fstat(1).st_size - begin, begin)  # other threads write on behind it
            names = re.findall(r":(aclnn\w+)GetWorkspaceSize is found", text.decode(errors="replace"))
            lines.write(f"{case.name}\t{' '.join(sorted(set(names)))}\n")


def run(cases):
    """Ends the program."""
    product = os.environ.get("BELAY_SOC", "Ascend910B3")
    only = os.environ.get("BELAY_CASES", "")
    cases = [c for c in cases if (c.only is None or c.only in product) and only in c.name]
    torch.set_num_threads(1)
    if os.environ.get("BELAY_RECORD"):
        record(cases, os.environ["BELAY_RECORD"])
        sys.exit(0)
    count = failed = 0
    for case, dtype, layout in [(c, d, l) for c in cases for d in c.dtypes for l in c.layouts]:
        torch.manual_seed(count)
        count += 1
        try:
            wrong = told(case, dtype, layout)
        except Stopped as stopped:
            sys.exit(f"{case.name} {str(dtype)[6:]} {layout.__name__}: {stopped}: no more cases")
        if wrong:
            failed += 1
            print(f"{case.name} {str(dtype)[6:]} {layout.__name__}: {wrong}")
    print(f"{count} cases, {failed} failed")
    sys.exit(failed > 0)
