# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The descriptions of the operators, as the library gives them, and what Python calls their parts."""
import ctypes
import inspect
import json
import keyword
import re

from acl.library import load

nnopbase = load("nnopbase")
opapi = load("opapi")


def snake_case(name):
    """smooth_l1_loss of SmoothL1Loss, self_is_result of selfIsResult."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Parameter:
    """One parameter of a call. kind is what C has it as: tensor, scalar list, int64, ...; role of a tensor is read, written,
    both (in place) or overwritten."""

    def __init__(self, fields):
        self.name = fields["name"]
        self.kind = fields["kind"]
        self.role = fields["role"]
        self.choices = fields.get("choices", [])
        self.dtypes = fields.get("dtypes")
        self.is_optional = fields["optional"]
        self.is_tensor = self.kind in ("tensor", "tensor list")
        self.is_output = self.role == "written"
        self.is_changed = self.role in ("both", "overwritten")
        self.python_name = snake_case(re.sub("(Optional|Ref)$", "", self.name))
        if keyword.iskeyword(self.python_name):
            self.python_name += "_"  # from_, as in other libraries
        self.default = inspect.Parameter.empty
        if self.is_optional or self.kind == "dtype":
            self.default = None
        if "default" in fields:
            self.default = self._parse(fields["default"])

    def _parse(self, text):
        if self.choices or self.kind == "string":
            return text
        if self.kind == "bool":
            return text == "true"
        if self.kind == "bool array":
            return [word == "true" for word in text.split(",") if word]
        if self.kind.endswith(("array", "list")):
            return [self._number(word, self.kind == "int array") for word in text.split(",") if word]
        return self._number(text, self.kind.startswith("int"))

    @staticmethod
    def _number(text, is_integer):
        number, _, dtype = text.partition(":")
        return int(number) if is_integer or dtype == "INT64" else float(number)


class Description:
    """One function: api is its name in C, parameters are in the order of the call, plan and launch are its phases."""

    def __init__(self, index, fields):
        self.index = index
        self.api = fields["name"]
        self.name = snake_case(re.sub("^aclnn", "", self.api))
        self.plan = opapi[self.api + "GetWorkspaceSize"]
        self.launch = opapi[self.api]
        self.promise = fields["promise"]
        self.family = fields["family"]
        self.parameters = [Parameter(parameter) for parameter in fields["parameters"]]
        self.inputs = [parameter for parameter in self.parameters if parameter.is_tensor and not parameter.is_output]
        self.outputs = [parameter for parameter in self.parameters if parameter.is_output]
        self.changed = [parameter for parameter in self.parameters if parameter.is_changed]

    def signature(self):
        """What the Python function takes: all by position or name, but the outputs, which are out= or, for one, dtype=."""
        given = [
            inspect.Parameter(parameter.python_name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=parameter.default)
            for parameter in self.parameters if not parameter.is_output
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
        lines = [f"{self.api}: the formula of its C header. FLOAT: {self.promise['FLOAT']}; with BELAY_ACCURACY=exact: "
                 f"{self.promise['FLOAT exact']}.", ""]
        for parameter in self.parameters:
            dtypes = sorted(set().union(*parameter.dtypes.values())) if parameter.dtypes else parameter.choices
            name = "out" if parameter.is_output and len(self.outputs) == 1 else parameter.python_name
            role = {"written": ", output", "both": ", in place", "overwritten": ", overwritten"}.get(parameter.role, "")
            lines.append(f"{name} ({parameter.name}): {parameter.kind}{role}" + (": " if dtypes else "") + ", ".join(dtypes))
        if self.outputs:
            lines += ["", "Returns out, or new arrays with the shapes and dtypes that the library infers, or dtype: one array for one",
                      "output, a tuple for several. Raises belay_npu.Error where the library refuses the call."]
        else:
            lines += ["", f"Writes the results to {self.changed[0].python_name}, which must be an array, and returns it.",
                      "Raises belay_npu.Error where the library refuses the call."]
        return "\n".join(lines)


def _text(write, *arguments):
    """The text that a function of the library writes as snprintf does."""
    length = write(*arguments, None, 0)
    text = ctypes.create_string_buffer(length + 1)
    write(*arguments, text, length + 1)
    return text.value


def infer(description, arguments):
    """What the outputs would be: the status, and for each output its dtype, shape and the list that it is like."""
    status = ctypes.c_int()
    words = (ctypes.c_uint64 * len(arguments))(*arguments)
    text = _text(opapi.belay_function_infer_json, description.index, words, ctypes.byref(status))
    return status.value, json.loads(text)["outputs"] if status.value == 0 else []


def descriptions():
    """All functions, in the order of the library. ImportError where the library is not Belay's."""
    try:
        describe = opapi.belay_function_json
    except AttributeError:
        raise ImportError(f"{opapi._name} is not Belay's; source the set_env.sh of an installed Belay") from None
    describe.restype = ctypes.c_size_t
    describe.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    opapi.belay_function_infer_json.restype = ctypes.c_size_t
    opapi.belay_function_infer_json.argtypes = [ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_int),
                                                ctypes.c_char_p, ctypes.c_size_t]
    found = []
    while text := _text(describe, len(found)):
        found.append(Description(len(found), json.loads(text)))
    return found
