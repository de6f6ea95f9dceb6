# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Floats of 8 bits, which NumPy lacks: of the package, of ml_dtypes where it is there, and in files of belay eval."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

os.environ["BELAY_SOC"] = "Ascend950PR_9599"

import numpy  # noqa: E402, the environment is read at the first use

import belay_npu as belay  # noqa: E402

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

command = str(Path(os.environ["BELAY_BUILD"], "bin", "belay"))
NUMBERS = numpy.array([0.3, -1.7, 100, 0], numpy.float32)
KNOWN = [0.3125, -1.75, 96, 0]
CODES = {"float8_e4m3fn": [0x2A, 0xBE, 0x6C, 0], "float8_e5m2": [0x35, 0xBF, 0x56, 0]}
DTYPES = [(name, getattr(belay, name)) for name in CODES]
if ml_dtypes:
    DTYPES += [(name, numpy.dtype(getattr(ml_dtypes, name))) for name in CODES]


class Float8(unittest.TestCase):
    def test_numbers_become_codes_and_come_back(self):
        for name, dtype in DTYPES:
            codes = belay.cast(NUMBERS, dtype)
            self.assertEqual(codes.dtype, dtype)
            self.assertEqual(codes.view("u1").tolist(), CODES[name])
            self.assertEqual(belay.cast(codes, numpy.float32).tolist(), KNOWN)
            out = numpy.zeros(4, dtype)
            self.assertIs(belay.cast(NUMBERS, out=out), out)
            self.assertEqual(out.view("u1").tolist(), CODES[name])

    def test_elements_are_moved_and_keep_their_dtype(self):
        for name, dtype in DTYPES:
            codes = numpy.array(CODES[name], "u1").view(dtype)
            mask = numpy.array([True, False, True, False])
            for result, wanted in ((belay.cat([codes, codes]), CODES[name] * 2),
                                   (belay.flip(codes[::-1], [0]), CODES[name]),
                                   (belay.permute(codes.reshape(2, 2), [1, 0]).reshape(4), [CODES[name][i] for i in (0, 2, 1, 3)]),
                                   (belay.masked_select(codes, mask)[:2], CODES[name][::2])):
                self.assertEqual(result.dtype, dtype)
                self.assertEqual(result.view("u1").tolist(), wanted)

    def test_what_is_no_number_of_them_is_refused(self):
        codes = belay.cast(NUMBERS, belay.float8_e5m2)
        with self.assertRaisesRegex(belay.Error, "self has dtype FLOAT8_E5M2"):
            belay.silu(codes)
        with self.assertRaisesRegex(TypeError, r"other is \[1, 2, 3, 4\] beside an array of float8_e5m2; an array is expected"):
            belay.add(codes, [1, 2, 3, 4])
        for dtype in ("V1", [("codes", "u1")], [("float8_e5m2", "u2")]):
            with self.assertRaisesRegex(TypeError, "of which the library has no tensors"):
                belay.cast(numpy.zeros(3, dtype), numpy.float32)

    def test_files_of_them_are_those_of_belay_eval(self):
        for name, dtype in DTYPES:
            with tempfile.TemporaryDirectory() as folder:
                codes = belay.cast(NUMBERS, dtype)
                numpy.save(Path(folder, "x.npy"), codes if dtype.names is None else codes.view("V1"))
                for line in (["--self", f"x.npy:{name.upper()}", "--dtype", "FLOAT", "--out", "y.npy"],
                             ["--self", "y.npy", "--dtype", name.upper(), "--out", "z.npy"]):
                    subprocess.run([command, "eval", "cast", *line], check=True, cwd=folder)
                self.assertEqual(numpy.load(Path(folder, "y.npy")).tolist(), KNOWN)
                self.assertEqual(numpy.load(Path(folder, "z.npy")).view("u1").tolist(), CODES[name])


if __name__ == "__main__":
    unittest.main()
