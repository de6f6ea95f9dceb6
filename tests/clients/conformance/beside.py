# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Cases beside the CPU, a line of JSON each on standard output: {"case", "outcome", "detail"}.

outcome: right, wrong, refused (the device's side raised), cpu (the CPU's did, so that there is nothing to compare with),
gelu (right once the CPU computes GELU by its tanh form, as torch_npu has the device do on Ascend910B whatever a program
asks for). What is right judge.py of tests/clients/torch_opinfo says. NAMES, a regular expression, picks cases.
"""
import json
import os
import pathlib
import re
import signal
import sys
import warnings

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a library prints is no answer
warnings.simplefilter("ignore")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "torch_opinfo"))

import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_map  # noqa: E402
import torch_npu  # noqa: E402,F401

import judge  # noqa: E402

SECONDS = int(os.environ.get("BELAY_CLIENTS_SECONDS", "60"))
# Whole models, forward and backward, where roundings of one layer go through all others: ten times what one operator has.
judge.TOLERANCE[torch.float32] = (1e-4, 1e-5)
# A kernel's sum has many roundings, where Rounded has one.
ROUNDINGS = 16
torch.set_num_threads(1)


def late(_number, _frame):
    raise TimeoutError(f"longer than {SECONDS} s")


signal.signal(signal.SIGALRM, late)


def said(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


class TanhGelu(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function in (torch.ops.aten.gelu.default, torch.ops.aten.gelu_backward.default):
            kwargs = {**(kwargs or {}), "approximate": "tanh"}
        return function(*args, **(kwargs or {}))


class Rounded(TorchDispatchMode):
    """Doubles, of which each operator's result is off by up to a rounding of FLOAT, as nobody's order of work is."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if any(part.alias_info is not None for part in function._schema.returns):
            return result

        def off(value):
            if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
                return value
            noise = torch.rand(value.shape, generator=self.generator, dtype=torch.float64) - 0.5
            return value + value * noise * 2.0**-23
        return tree_map(off, result)


def is_rounding(values, run):
    """Whether each tensor is no farther from the doubles than some times what roundings alone do to it: what a model
    cancels, as the gradient of one scale for a whole plane, has no other measure. What has no doubles cannot be judged so."""
    try:
        exact = run("cpu", torch.float64)
    except Exception:  # noqa: BLE001 - whatever it is
        return False
    allowed = [torch.zeros((), dtype=torch.float64) for _ in exact]
    for seed in range(3):
        with Rounded(seed):
            shaken = run("cpu", torch.float64)
        allowed = [torch.maximum(most, (a - b).abs().max() if a.numel() else most) for most, a, b in zip(allowed, shaken, exact)]
    return all(value.numel() == 0 or bool((value.double() - right).abs().max() <= ROUNDINGS * most + 1e-7 * right.abs().max())
               for value, right, most in zip(values, exact, allowed))


def is_gelu(values, run):
    """Whether the results are those of the CPU with that form."""
    try:
        with TanhGelu():
            expected = run("cpu", None)

        def doubles():
            with TanhGelu():
                return run("cpu", torch.float64)
        return judge.judge(values, expected, doubles) is None or is_rounding(values, lambda _device, _dtype: doubles())
    except Exception:  # noqa: BLE001
        return False


def is_wanted(name):
    return re.search(sys.argv[1] if len(sys.argv) > 1 else "", name) is not None


def tell(case, outcome, detail=""):
    answers.write(json.dumps({"case": case, "outcome": outcome, "detail": detail}) + "\n")
    answers.flush()


def case(name, run):
    """run(device, dtype) gives tensors; dtype None is the case's own, and another one that of who decides."""
    signal.alarm(SECONDS)
    try:
        expected = run("cpu", None)
    except Exception as error:  # noqa: BLE001 - whatever it is
        signal.alarm(0)
        return tell(name, "cpu", said(error))
    try:
        values = [value.cpu() if isinstance(value, torch.Tensor) else value for value in run("npu", None)]
        torch.npu.synchronize()
    except Exception as error:  # noqa: BLE001
        signal.alarm(0)
        return tell(name, "refused", said(error))
    try:
        fault = judge.judge(values, expected, lambda: run("cpu", torch.float64))
    except Exception as error:  # noqa: BLE001
        fault = said(error)
    signal.alarm(0)  # what follows runs on the CPU alone
    outcome = "right" if not fault or is_rounding(values, run) else "gelu" if is_gelu(values, run) else "wrong"
    return tell(name, outcome, fault or "")


def tensors(output):
    """The floating-point tensors of whatever a model returns, in order."""
    if isinstance(output, torch.Tensor):
        return [output] if output.is_floating_point() else []
    if hasattr(output, "to_tuple"):
        output = output.to_tuple()
    if isinstance(output, dict):
        output = output.values()
    return [tensor for part in output for tensor in tensors(part)] if isinstance(output, (list, tuple)) or hasattr(output, "__iter__") \
        and not isinstance(output, str) else []


def with_gradients(module, run):
    """What run(module) returns, and the gradients of the module's parameters for fixed gradients of it."""
    outputs = tensors(run(module))
    wanted = [parameter for parameter in module.parameters() if parameter.requires_grad]
    roots = [output for output in outputs if output.requires_grad]
    generator = torch.Generator().manual_seed(1)
    along = [torch.randn(root.shape, generator=generator).to(root.dtype).to(root.device) for root in roots]
    gradients = torch.autograd.grad(roots, wanted, along, allow_unused=True) if roots and wanted else ()
    return [output.detach() for output in outputs] + [gradient for gradient in gradients if gradient is not None]
