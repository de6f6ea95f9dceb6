# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The constants and prototypes of acl against the C headers."""
import os
import re
import unittest
from pathlib import Path

import acl
import acl.constants
import acl.status

include = Path(os.environ["BELAY_SOURCE"], "include")


def headers():
    """All headers as one text without comments."""
    text = "\n".join(path.read_text() for path in sorted(include.rglob("*.h")))
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def values(text):
    """Each constant of the headers with its value."""
    found = re.findall(r"BELAY_STATUS_CODE\(\w+,\s*(ACL\w+),\s*(-?\w+)\)", text)
    found += re.findall(r"^#define (ACL_\w+)[ \t]+(-?[0-9]\w*)[ \t]*$", text, re.M)
    for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text, re.S):
        found += re.findall(r"(\w+)\s*=\s*(-?\w+)", body)
    return {name: int(value.rstrip("uUlL"), 0) for name, value in found}


def kind_of(c_type):
    """The word of a prototype for a C type: every enumeration is an int32."""
    words = c_type.replace("const ", "").strip()
    if words.endswith("*") or words in ("aclrtContext", "aclrtStream", "aclrtEvent", "aclrtCallback", "aclrtHostFunc",
                                        "aclrtExceptionInfoCallback"):
        return "handle"
    plain = {"size_t": "size", "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
             "float": "float", "uint8_t": "uint8", "aclFloat16": "uint16"}
    return plain.get(words, "int32")


class Constants(unittest.TestCase):
    text = headers()

    def test_every_constant_has_the_value_of_the_headers(self):
        expected = values(self.text)
        count = 0
        for module in (acl.constants, acl.status):
            for name, value in vars(module).items():
                if not name.startswith("__"):
                    self.assertEqual(value, expected.get(name), name)
                    self.assertEqual(getattr(acl, name), value)
                    count += 1
        self.assertGreater(count, 400)

    def test_no_enumeration_is_there_in_part(self):
        for body in re.findall(r"typedef enum \w+ \{(.*?)\}", self.text, re.S):
            names = re.findall(r"(\w+)\s*=", body)
            self.assertIn(sum(hasattr(acl, name) for name in names), (0, len(names)), names)

    def test_no_status_code_is_missing(self):
        for name in re.findall(r"BELAY_STATUS_CODE\(aclError,\s*(ACL_ERROR_(?!GE_)\w+)", self.text):
            self.assertTrue(hasattr(acl, name), name)

    def test_every_prototype_is_that_of_the_headers(self):
        declared = {name: (result.strip(), parameters) for result, name, parameters in
                    re.findall(r"^([\w ]+[ *]+)(acl\w+)\(([^)]*)\);", self.text, re.M)}
        prototypes = []
        for file in ("__init__.py", "descriptions.py", "mdl.py", "op.py", "rt.py"):
            source = Path(acl.__file__).with_name(file).read_text()
            # A string over two lines is two literals.
            prototypes += re.findall(r'bind\(\s*"(?:(\w+) )?(\w+)\((.*?)\)"\)', re.sub(r'"\n\s*"', "", source), re.S)
        self.assertGreater(len(prototypes), 140)
        for result, name, parameters in prototypes:
            expected = []
            c_result, c_parameters = declared[name]
            if result:
                self.assertEqual(result, {"void": "void", "const char *": "text", "aclFloat16": "uint16"}.get(
                    c_result, kind_of(c_result)), name)
            else:
                self.assertEqual(c_result, "aclError", name)
            for parameter in c_parameters.replace("(void)", "()").split(","):
                # Names and the brackets of arrays; the words of C for nothing.
                c_type = re.sub(r"\w+$", "", re.sub(r"(\w+)((?:\[\w*\])+)$", r"*\1", parameter.strip())).strip()
                if c_type:
                    expected.append(c_type)
            words = [parameter.split() for parameter in parameters.split(", ") if parameter]
            self.assertEqual(len(words), len(expected), name)
            for (kind, label), c_type in zip(words, expected):
                if label.startswith("*"):
                    self.assertTrue(c_type.endswith("*"), f"{name}: {label}")
                    c_type = c_type[:-1]
                wanted = "text" if c_type.replace(" ", "") == "constchar*" else kind_of(c_type)
                self.assertEqual(kind, wanted, f"{name}: {label}")


if __name__ == "__main__":
    unittest.main()
