# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The descriptions of the operators, as the library gives them, and what Python calls their parts."""
import ctypes
import inspect
import json
import re

from acl.library import load

nnopbase = load("nnopbase")
opapi = load("opapi")


def snake_case(name):
    """smooth_l1_loss of SmoothL1Loss, self_is_result of selfIsResult."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Parameter:
    """One parameter of a call: kind is input, output, in place, overwritten, scalar, dtype, int64, float, double
    or bool."""

    def __init__(self, fields):
        self.name = fields["name"]
        self.kind = fields["kind"]
        self.choices = fields.get("choices", [])
        self.dtypes = fields.get("dtypes")
        self.is_optional = fields["optional"]
        self.python_name = snake_case(re.sub("(Optional|Ref)$", "", self.name))
        self.default = inspect.Parameter.empty
        if self.is_optional or self.kind == "dtype":
            self.default = None
        if "default" in fields:
            self.default = self._parse(fields["default"])

    def _parse(self, text):
        if self.choices:
            return text
        if self.kind == "bool":
            return text == "true"
        number, _, dtype = text.partition(":")
        return int(number) if self.kind == "int64" or dtype == "INT64" else float(number)


class Description:
    """One operator: api is its name in C, parameters are in the order of the call, plan and launch are its phases."""

    def __init__(self, fields):
        self.api = fields["name"]
        self.name = snake_case(re.sub("^aclnn", "", self.api))
        self.plan = opapi[self.api + "GetWorkspaceSize"]
        self.launch = opapi[self.api]
        self.fp32_within_one_ulp = fields["fp32_within_one_ulp"]
        self.parameters = [Parameter(parameter) for parameter in fields["parameters"]]
        self.inputs = [parameter for parameter in self.parameters if parameter.kind in ("input", "in place", "overwritten")]
        self.reduced_by = next((p for p in self.parameters if p.name == fields.get("reduced_by")), None)
        self.outputs = [parameter for parameter in self.parameters if parameter.kind == "output"]

    def is_reduced(self, given):
        """Whether the result of these arguments is one element."""
        if self.reduced_by is None:
            return False
        return given[self.reduced_by.python_name] not in (self.reduced_by.choices[0], 0)

    def is_usual(self, dtype):
        """Whether the output has the dtype of inputs on every product whose inputs may have it. Quotients of integers
        may be integers on some products, but are FLOAT everywhere."""
        output = self.outputs[0].dtypes
        inputs = [parameter.dtypes for parameter in self.inputs]
        return (any(dtype in dtypes for dtypes in output.values()) and
                all(dtype in output[product] for dtypes in inputs for product in output if dtype in dtypes[product]))

    def signature(self):
        """What the Python function takes: all by position or name, but the output, which is out= or dtype=."""
        given = [
            inspect.Parameter(parameter.python_name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=parameter.default)
            for parameter in self.parameters if parameter.kind != "output"
        ]
        # A parameter may only be left out where all behind it may be.
        for i in range(len(given) - 2, -1, -1):
            if given[i + 1].default is inspect.Parameter.empty:
                given[i] = given[i].replace(default=inspect.Parameter.empty)
        names = ("out", "dtype") if self.outputs else ()
        names = [name for name in names if name not in (parameter.name for parameter in given)]
        options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
        return inspect.Signature(given + options)

    def documentation(self):
        lines = [f"{self.api}: the formula of its C header, rounded once"
                 + ("; float32 within 1 ulp unless BELAY_ACCURACY=exact." if self.fp32_within_one_ulp else "."), ""]
        for parameter in self.parameters:
            dtypes = sorted(set().union(*parameter.dtypes.values())) if parameter.dtypes else parameter.choices
            name = "out" if parameter.kind == "output" else parameter.python_name
            lines.append(f"{name} ({parameter.name}): {parameter.kind}" + (": " if dtypes else "") + ", ".join(dtypes))
        if self.outputs:
            lines += ["", "Returns out, or a new array with the shape that the inputs broadcast to and the dtype that they",
                      "promote to, float32 where the output cannot have it, or dtype. Raises belay.Error where the library refuses",
                      "the call."]
        else:
            lines += ["", f"Writes the results to {self.inputs[0].python_name}, which must be an array, and returns it.",
                      "Raises belay.Error where the library refuses the call."]
        return "\n".join(lines)


def descriptions():
    """All operators, in the order of the library. ImportError where the library is not Belay's."""
    try:
        describe = opapi.belay_operator_json
    except AttributeError:
        raise ImportError(f"{opapi._name} is not Belay's; source the set_env.sh of an installed Belay") from None
    describe.restype = ctypes.c_size_t
    describe.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    found = []
    while length := describe(len(found), None, 0):
        text = ctypes.create_string_buffer(length + 1)
        describe(len(found), text, length + 1)
        found.append(Description(json.loads(text.value)))
    return found
