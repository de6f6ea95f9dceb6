# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What PyTorch itself tests with (torch.testing._internal), as samples: a function of tensors, and its arguments.

A job names one entry and one dtype, "operator 17 float16". Each entry of the database of operators draws its samples;
of a module the sample is its outputs and the gradients of its parameters, of an optimizer the parameters after some
steps, of an error whether a call that PyTorch refuses is refused. All samples are made on the CPU and carried over, so
that both devices see the same numbers.
"""
import copy

import torch
from torch.nn.parameter import is_lazy
from torch.testing._internal.autograd_function_db import autograd_function_db
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db  # noqa: F401
from torch.testing._internal.custom_op_db import custom_op_db
from torch.utils._pytree import tree_flatten, tree_map

DTYPES = ("float32", "float16", "bfloat16", "float64", "int32", "int64", "uint8", "bool", "complex64")
MODULE_DTYPES = ("float32", "float16", "bfloat16")
STEPS = 5


class Sample:
    """name, and run(device, dtype): a list of tensors and numbers. dtype None leaves the inputs as they are; another one
    raises their precision, for a judge of who is nearer. differentiable: gradients follow the outputs."""

    def __init__(self, name, run, needs_cpu_rounding=False):
        self.name, self.run, self.needs_cpu_rounding = name, run, needs_cpu_rounding


def carried(tree, device, dtype):
    """The same values on another device; floating-point ones in dtype where one is given."""
    def carry(value):
        if isinstance(value, torch.Tensor):
            moved = value.detach()
            if dtype is not None and (moved.is_floating_point() or moved.is_complex()):
                moved = moved.to(torch.complex128 if moved.is_complex() else dtype)
            if device != "cpu":
                moved = moved.to(device)
            elif moved is value or moved.data_ptr() == value.data_ptr():
                moved = moved.clone(memory_format=torch.preserve_format)
            return moved.requires_grad_(value.requires_grad)
        if isinstance(value, torch.device) or (isinstance(value, str) and value == "cpu"):
            return torch.device(device)
        if isinstance(value, torch.dtype) and dtype is not None and value.is_floating_point:
            return dtype
        return value
    return tree_map(carry, tree)


def with_gradients(outputs, inputs, process):
    """The outputs, and the gradients of what of the inputs wants one, for a fixed gradient of the outputs."""
    results = [value for value in tree_flatten(outputs)[0] if value is not None]
    wanted = [value for value in tree_flatten(inputs)[0] if isinstance(value, torch.Tensor) and value.requires_grad]
    if not wanted:
        return results
    processed = tree_flatten(process(outputs) if process else outputs)[0]
    scaled = [value for value in processed if isinstance(value, torch.Tensor) and value.requires_grad]
    if not scaled:
        return results
    generator = torch.Generator().manual_seed(1)
    along = [torch.randn(value.shape, generator=generator, dtype=torch.float32).to(value.dtype).to(value.device)
             for value in scaled]
    gradients = torch.autograd.grad(scaled, wanted, along, allow_unused=True)
    return results + [gradient for gradient in gradients if gradient is not None]


def operator_samples(entry, dtype):
    if dtype not in entry.supported_dtypes("cpu"):
        return
    gradients = dtype == torch.float32 and entry.supports_autograd
    for number, sample in enumerate(entry.sample_inputs("cpu", dtype, requires_grad=gradients)):
        def run(device, higher=None, sample=sample):
            arguments = carried((sample.input, sample.args, sample.kwargs), device, higher)
            torch.manual_seed(3)
            outputs = entry.op(arguments[0], *arguments[1], **arguments[2])
            return with_gradients(outputs, arguments, sample.output_process_fn_grad)
        yield Sample(f"{number} {sample.summary()[:1000]}", run)


def module_samples(entry, dtype):
    if dtype not in entry.dtypes:
        return
    for training in (True, False) if entry.train_and_eval_differ else (True,):
        inputs = entry.module_inputs_func(entry, device="cpu", dtype=dtype, requires_grad=dtype == torch.float32,
                                          training=training)
        for number, item in enumerate(inputs):
            torch.manual_seed(5)
            made = item.constructor_input
            module = entry.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
            if any(is_lazy(parameter) for parameter in module.parameters()):  # which the first call gives numbers
                module(*item.forward_input.args, **item.forward_input.kwargs)

            def run(device, higher=None, item=item, module=module):
                here = copy.deepcopy(module).to(higher or dtype).to(device)
                arguments = carried((item.forward_input.args, item.forward_input.kwargs), device, higher)
                torch.manual_seed(3)
                outputs = here(*arguments[0], **arguments[1])
                wanted = [list(here.parameters()), arguments] if dtype == torch.float32 else []
                return with_gradients(outputs, wanted, None) + [value.detach() for value in here.buffers()]
            yield Sample(f"{number} {'training' if training else 'evaluation'} {item.desc} {made.kwargs}"[:160], run)


def optimizer_samples(entry, dtype):
    for number, item in enumerate(entry.optim_inputs_func(device="cpu")):
        for way in ("default", *(way for way in ("foreach", "fused") if way in entry.supported_impls)):
            if item.kwargs.get("differentiable") or (way != "default" and item.kwargs.get(way) is False):
                continue
            kwargs = {**item.kwargs, **({way: True} if way != "default" else {})}

            def run(device, higher=None, kwargs=kwargs):
                generator = torch.Generator().manual_seed(7)
                parameters = [torch.randn(shape, generator=generator).to(higher or dtype).to(device).requires_grad_()
                              for shape in ((5, 3), (5,), (1, 2, 4))]
                here = carried(kwargs, device, None)
                if here.get("fused") and higher is not None:
                    here = {**here, "fused": False}  # there is no such way for doubles everywhere
                optimizer = entry.optim_cls(parameters, **here)

                def closure():
                    for parameter in parameters:
                        parameter.grad = None
                    loss = sum((parameter * parameter).sum() + parameter.sum() for parameter in parameters)
                    loss.backward()
                    return loss
                for _ in range(STEPS):
                    if entry.step_requires_closure:
                        optimizer.step(closure)
                    else:
                        closure()
                        optimizer.step()
                return [parameter.detach() for parameter in parameters]
            yield Sample(f"{number} {way} {item.desc}"[:160], run)


def error_samples(entry, _dtype):
    for number, wrong in enumerate(entry.error_inputs("cpu") if entry.error_inputs_func else ()):
        sample = wrong.sample_input

        def run(device, _higher=None, sample=sample):
            try:
                arguments = carried((sample.input, sample.args, sample.kwargs), device, None)
                entry.op(arguments[0], *arguments[1], **arguments[2])
                if device != "cpu":
                    torch.npu.synchronize()
            except Exception:  # pylint: disable=broad-except # whichever, it is refused
                return [torch.tensor(1)]
            return [torch.tensor(0)]
        yield Sample(f"{number} {sample.summary()[:1000]}", run)


_KINDS = {
    "operator": (op_db, DTYPES, operator_samples, lambda entry: entry.formatted_name),
    "function": (autograd_function_db + custom_op_db, DTYPES, operator_samples, lambda entry: entry.formatted_name),
    "error": (op_db, ("float32",), error_samples, lambda entry: entry.formatted_name),
    "module": (module_db, MODULE_DTYPES, module_samples, lambda entry: entry.name),
    "optimizer": (optim_db, ("float32",), optimizer_samples, lambda entry: entry.optim_cls.__name__),
}


def jobs():
    """All of them, each as (job, the entry's name, dtype)."""
    for kind, (entries, dtypes, _samples, name) in _KINDS.items():
        for number, entry in enumerate(entries):
            for dtype in dtypes:
                yield f"{kind} {number} {dtype}", name(entry), dtype


def samples(job):
    kind, number, dtype = job.split()
    entries, _dtypes, make, _name = _KINDS[kind]
    return make(entries[int(number)], getattr(torch, dtype))
