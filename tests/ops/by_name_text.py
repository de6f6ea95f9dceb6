# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Calls of operators by name as text, of which the programs beside this one write headers (support/named_call.h)."""
import torch

LETTER = {torch.float32: "f", torch.int32: "i", torch.int64: "l", torch.bool: "b", torch.uint8: "u", torch.float16: "h",
          torch.uint64: "q"}
rows = []


def spec(value, prefix=""):
    if value is None:
        return "none"
    value = torch.as_tensor(value)
    if value.dtype == torch.float64:
        value = value.to(torch.float32)
    dims = ",".join(map(str, value.shape)) or "-"
    numbers = " ".join(f"{float(v):.9g}" if value.is_floating_point() else str(int(v)) for v in value.flatten())
    return f"{prefix}{LETTER[value.dtype]} {dims}: {numbers}"


class Host:
    """A number or list in memory of the host."""

    def __init__(self, value, dtype=torch.int64):
        self.value = torch.tensor(value, dtype=dtype)


class Place:
    """An output at the address of an input."""

    def __init__(self, index, value):
        self.index, self.value = index, value


class Any_:
    """An output that is not compared."""

    def __init__(self, value):
        self.value = value


def attribute(name, value):
    if isinstance(value, bool):
        return f"{name}:b={int(value)}"
    if isinstance(value, int):
        return f"{name}:i={value}"
    if isinstance(value, float):
        return f"{name}:f={value}"
    if isinstance(value, str):
        return f"{name}:s={value}"
    return f"{name}:{'F' if value and isinstance(value[0], float) else 'I'}=" + ",".join(map(str, value))


def row(kind, inputs, outputs, **attributes):
    ins = [spec(v.value, "H") if isinstance(v, Host) else spec(v) for v in inputs]
    outs = [
        spec(v.value, f"={v.index} ") if isinstance(v, Place) else spec(v.value, "* ") if isinstance(v, Any_) else spec(v)
        for v in outputs
    ]
    rows.append((kind, " | ".join(ins), " ".join(attribute(k, v) for k, v in attributes.items()), " | ".join(outs)))


def r(*shape):
    return torch.round(torch.randn(*shape) * 8) / 8  # few digits, exact in FLOAT


def write(script, judges):
    print("/* SPDX-License-Identifier: Apache-2.0 */\n/* SPDX-FileCopyrightText: The Belay authors */")
    print(f"/*\n * Calls of operators by name and their results, by {judges}: written by {script}.\n */")
    print("/* clang-format off */")
    for kind, ins, attributes, outs in rows:
        print(f'{{"{kind}", "{ins}", "{attributes}",\n "{outs}"}},')
    print("    /* clang-format on */")
