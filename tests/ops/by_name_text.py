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


# What has channels, images and filters, of kinds that also take it with the channels last.
IMAGES = {
    "x0 y0": "MaxPool AvgPool AvgPoolV2 MaxPool3D AvgPool3D ResizeNearestNeighborV2 ResizeNearestNeighborV2Grad ResizeBilinearV2 "
             "CustResizeBicubic ResizeBicubicGrad SpaceToDepth DepthToSpace",
    "x0 f1 y0": "Conv2D Conv3D DepthwiseConv2D Conv3DTransposeD",
    "x1 f2 y0": "Conv2DTranspose",
    "x2 f1 y0": "DepthwiseConv2DBackpropInput Conv2DBackpropInput Conv3DBackpropInput",
    "x2 x0 g0": "DepthwiseConv2DBackpropFilter Conv2DBackpropFilter Conv3DBackpropFilter",
    "x0 x1 x2 y0": "MaxPoolGrad MaxPool3DGrad",
    "x1 y0": "AvgPoolGrad AvgPoolV2Grad AvgPool3DGrad",
    "x0 x1 y0": "ResizeBilinearV2Grad",
}
PLACES = {kind: places.split() for places, kinds in IMAGES.items() for kind in kinds.split()}
LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
OF_AXES = "strides", "ksize", "dilation", "dilations", "output_padding"


def last(value, prefix=""):
    axes = (2, 3, 1, 0) if prefix == "K" else LAST[value.dim()]
    return spec(value.permute(axes).contiguous(), prefix)


def operands(inputs, outputs):
    ins = [spec(v.value, "H") if isinstance(v, Host) else spec(v) for v in inputs]
    outs = [
        spec(v.value, f"={v.index} ") if isinstance(v, Place) else spec(v.value, "* ") if isinstance(v, Any_) else spec(v)
        for v in outputs
    ]
    return ins, outs


def add_row(kind, ins, attributes, outs):
    rows.append((kind, " | ".join(ins), " ".join(attribute(k, v) for k, v in attributes.items()), " | ".join(outs)))


def row(kind, inputs, outputs, **attributes):
    texts_in, texts_out = operands(inputs, outputs)
    add_row(kind, texts_in, attributes, texts_out)
    planes = attributes.get("data_format", "NCHW" if "Resize" in kind else "")
    if planes == "" or kind not in PLACES:
        return
    # The same with the channels last; a filter's format is its own, H, W, C, N of every second row.
    for letter, place in PLACES[kind]:
        texts, value = (texts_out, outputs[int(place)]) if letter in "yg" else (texts_in, inputs[int(place)])
        filters = letter in "fg"
        texts[int(place)] = last(value, ("K" if len(rows) % 2 and value.dim() == 4 else "N") if filters else "")
    turned = {
        name: [value[0], *value[2:], value[1]] if name in OF_AXES and len(value) in LAST else value for name, value in attributes.items()
    }
    turned["data_format"] = {"NCHW": "NHWC", "NCDHW": "NDHWC"}[planes]
    add_row(kind, texts_in, turned, texts_out)


def r(*shape):
    return torch.round(torch.randn(*shape) * 8) / 8  # few digits, exact in FLOAT


def write(script, judges):
    print("/* SPDX-License-Identifier: Apache-2.0 */\n/* SPDX-FileCopyrightText: The Belay authors */")
    print(f"/*\n * Calls of operators by name and their results, by {judges}: written by {script}.\n */")
    print("/* clang-format off */")
    for kind, ins, attributes, outs in rows:
        print(f'{{"{kind}", "{ins}", "{attributes}",\n "{outs}"}},')
    print("    /* clang-format on */")
