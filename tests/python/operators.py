# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The functions of belay: made from the library's own descriptions, and right."""
import copy
import inspect
import json
import math
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

os.environ["BELAY_DEVICES"] = "2"

import numpy  # noqa: E402, the environment is read at the first use

import acl  # noqa: E402
import belay_npu as belay  # noqa: E402

command = str(Path(os.environ["BELAY_BUILD"], "bin", "belay"))
random = numpy.random.default_rng(1)


def hardswish_backward(g, x):
    return g * numpy.where(x < -3, 0, numpy.where(x > 3, 1, x / 3 + 0.5))


def silu_backward(g, x):
    sigma = 1 / (1 + numpy.exp(-x))
    return g * sigma * (1 + x * (1 - sigma))


def smooth_l1_loss_backward(g, x, target):
    return g * numpy.clip(x - target, -1, 1) / numpy.broadcast(g, x, target).size


def leaky_relu_backward(g, x):
    return g * numpy.where(x > 0, 1, numpy.float32(0.01))


def hardswish(x):
    return x * numpy.clip(x + 3, 0, 6) / 6


def leaky_relu(x):
    return x * numpy.where(x > 0, 1, numpy.float32(0.01))


def hardswish_backward_v2(g, x):
    return g * numpy.where(x <= -3, 0, numpy.where(x >= 3, 1, x / 3 + 0.5))


def silu(x):
    return x / (1 + numpy.exp(-x))


def swish(x):
    return silu(x)


def swish_backward(g, x):
    return silu_backward(g, x)


def smooth_l1_loss(x, target):
    d = numpy.abs(x - target)
    return numpy.mean(numpy.where(d < 1, d * d / 2, d - 0.5))


def relu(x):
    return numpy.where(x > 0, x, 0)


def threshold_backward(g, x):
    return numpy.where(x > 0, g, 0)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def sigmoid_backward(g, y):
    return g * y * (1 - y)


def tanh(x):
    return numpy.tanh(x)


def tanh_backward(g, y):
    return g * (1 - y) * (1 + y)


def gelu(x):
    return x * sigmoid(2 * numpy.sqrt(2 / numpy.pi) * (x + 0.044715 * x**3))


def gelu_backward(g, x):
    c = 2 * numpy.sqrt(2 / numpy.pi)
    p = sigmoid(c * (x + 0.044715 * x**3))
    return g * p * (1 + x * c * (1 + 3 * 0.044715 * x**2) * (1 - p))


formulas = [relu, threshold_backward, sigmoid, sigmoid_backward, tanh, tanh_backward, gelu, gelu_backward, smooth_l1_loss, hardswish_backward_v2, silu, swish, swish_backward, hardswish, leaky_relu, hardswish_backward, leaky_relu_backward, silu_backward, smooth_l1_loss_backward]


# Functions and errors on their way to other processes and back. Waits are limited: a pool that cannot unpickle an
# answer waits for ever.
POOLS = """
import concurrent.futures, multiprocessing, sys
import numpy, belay_npu as belay

def main():
    context = multiprocessing.get_context(sys.argv[1])
    good, bad = numpy.ones(2, "f4"), numpy.zeros(2, "i4")
    with context.Pool(2) as pool:
        results = pool.map_async(belay.relu, [good, -good]).get(30)
        assert [float(result.sum()) for result in results] == [2, 0], results
        try:
            pool.map_async(belay.silu, [bad]).get(30)
        except belay.Error as error:
            print(error.status, error)
    with concurrent.futures.ProcessPoolExecutor(1, context) as executor:
        error = executor.submit(belay.silu, bad).exception(30)
        print(error.status, error)

if __name__ == "__main__":
    main()
"""


def numbers(dtype, shape=(5, 7)):
    values = random.normal(scale=2, size=shape)
    return belay.to_bfloat16(values) if dtype == belay.bfloat16 else values.astype(dtype)


def as_fp64(array):
    return (belay.from_bfloat16(array) if array.dtype.kind == "V" else array).astype(numpy.float64)


class Operators(unittest.TestCase):
    def expect(self, result, expected, units):
        """result is expected, to so many units in the last place of its dtype."""
        digits = {numpy.dtype("float16"): 11, belay.bfloat16: 8, numpy.dtype("float32"): 24}.get(result.dtype, 53)
        least = 2.0**-14 if digits == 11 else 1e-6  # below it the last place is that of subnormal numbers
        unit = numpy.exp2(numpy.floor(numpy.log2(numpy.maximum(numpy.abs(expected), least))) + 1 - digits)
        difference = numpy.abs(as_fp64(result) - expected)
        self.assertTrue(numpy.all(difference <= units * unit + 1e-15 * numpy.abs(expected)), (result, expected))

    def refused(self, status, sentence, function, *arguments, **named):
        with self.assertRaises(belay.Error) as caught:
            function(*arguments, **named)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(sentence, str(caught.exception))

    def test_there_is_a_function_for_every_operator_of_the_command(self):
        listed = json.loads(subprocess.run([command, "ops", "--json"], check=True, capture_output=True).stdout)
        self.assertEqual([function.description.api for function in belay.operators.values()],
                         [operator["name"] for operator in listed])
        self.assertGreaterEqual(len(listed), 4)
        for name, function in belay.operators.items():
            self.assertIs(getattr(belay, name), function)
            parameters = function.description.parameters
            # out and dtype for the output, unless there is none.
            self.assertEqual(len(inspect.signature(function).parameters),
                             len({parameter.python_name for parameter in parameters if not parameter.is_output}
                                 | ({"out", "dtype"} if function.description.outputs else set())))
            for parameter in parameters:
                self.assertIn(parameter.name, function.__doc__)

    def test_signatures_have_the_defaults_of_the_description(self):
        self.assertEqual(str(inspect.signature(belay.smooth_l1_loss_backward)),
                         "(grad_out, self, target, reduction='mean', beta=1.0, *, out=None, dtype=None)")
        self.assertEqual(str(inspect.signature(belay.leaky_relu_backward)),
                         "(grad_output, self, negative_slope=0.01, self_is_result=False, *, out=None, dtype=None)")

    def test_every_operator_takes_the_dtypes_of_its_description_and_no_others(self):
        known = {"FLOAT": "float32", "FLOAT16": "float16", "DOUBLE": "float64", "BFLOAT16": belay.bfloat16,
                 "INT32": "int32", "BOOL": "bool", "COMPLEX64": "complex64"}
        keeps = {formula.__name__ for formula in formulas} | {"add", "sub", "mul", "div", "divs", "exp", "sqrt", "neg"}
        # Bounds of which one must be there, operands of other shapes, dtypes that are not computed in: rules beside those
        # of the description, for which the contract's own tests are.
        particular = re.compile("(inplace_)?(addr|clamp(_tensor)?|div_mods?|bitwise_.*_scalar|pow_.*|remainder_.*|masked_fill_tensor|"
                                "fill_tensor|prelu|log_add_exp2?|gelu_backward_v2)")
        for name, function in belay.operators.items():
            if function.description.family != "pointwise" or particular.fullmatch(name):
                continue  # shapes are not any
            tensors = function.description.inputs
            needed = [parameter for parameter in function.description.parameters if not parameter.is_output
                      and inspect.signature(function).parameters[parameter.python_name].default is inspect._empty]
            for dtype_name, dtype in known.items():
                array = numbers(dtype, (2, 3)) if dtype_name != "COMPLEX64" else numpy.ones((2, 3), dtype)
                number = True if dtype_name == "BOOL" else 1
                arguments = [array if parameter in tensors else number for parameter in needed]
                with self.subTest(operator=name, dtype=dtype_name):
                    if all(dtype_name in tensor.dtypes["910B"] for tensor in tensors):
                        result = function(*arguments)
                        # Of integers, where there are only floats for the result, float32.
                        output = (function.description.outputs or tensors)[0]
                        is_quotient = name in ("div", "divs") and dtype_name in ("INT32", "BOOL")
                        result_dtype = dtype if dtype_name in output.dtypes["910B"] and not is_quotient else "float32"
                        self.assertEqual(result.shape, (2, 3))
                        if name in keeps:
                            self.assertEqual(result.dtype, numpy.dtype(result_dtype))
                    else:
                        self.refused(161002, f"{function.description.api}: ", function, *arguments)

    def test_strings_live_as_long_as_the_call(self):
        x = numbers(numpy.float32)
        for approximate in ("none", "tanh"):
            self.assertEqual(belay.gelu_backward_v2(x, x, approximate).shape, x.shape)
        self.refused(161002, "none", belay.gelu_backward_v2, x, x, "erf")
        with self.assertRaisesRegex(TypeError, "approximate is 1; a string is expected"):
            belay.gelu_backward_v2(x, x, 1)

    def test_results_are_those_of_the_formulas_in_every_dtype(self):
        for formula in formulas:
            function = getattr(belay, formula.__name__)
            for dtype in (numpy.float32, numpy.float16, belay.bfloat16):
                arrays = [numbers(dtype) for _ in function.description.inputs]
                with self.subTest(operator=formula.__name__, dtype=dtype):
                    result = function(*arrays)
                    self.assertEqual(result.dtype, arrays[0].dtype)
                    self.expect(result, formula(*map(as_fp64, arrays)), 1)
        g, x = numbers(numpy.float64), numbers(numpy.float64)
        numpy.testing.assert_allclose(belay.leaky_relu_backward(g, x), numpy.where(x > 0, g, g * 0.01), rtol=2e-16)

    def test_reductions_give_one_element_and_none_gives_all(self):
        x, target = numbers(numpy.float32, (4, 1)), numbers(numpy.float32, (3,))
        self.assertEqual(belay.smooth_l1_loss(x, target, "none").shape, (4, 3))
        self.assertEqual(belay.smooth_l1_loss(x, target, 0).shape, (4, 3))
        total = belay.smooth_l1_loss(x, target, reduction="sum", dtype=numpy.float64)
        self.assertEqual((total.shape, total.dtype), ((), numpy.float64))
        out = numpy.empty((1,), numpy.float32)
        self.assertIs(belay.smooth_l1_loss(x, target, 1, out=out), out)
        self.expect(out, smooth_l1_loss(as_fp64(x), as_fp64(target)), 1)

    def test_operators_in_place_write_to_their_array_and_return_it(self):
        x = numbers(numpy.float16, (3, 5))
        expected = belay.hardswish(x)
        wide = numpy.zeros((6, 10), numpy.float16)
        view = wide[::2, 1::2]
        view[...] = x
        self.assertIs(belay.inplace_hardswish(view), view)
        numpy.testing.assert_array_equal(wide[::2, 1::2], expected)
        self.assertEqual(numpy.count_nonzero(wide), numpy.count_nonzero(expected))
        self.assertEqual(str(inspect.signature(belay.inplace_leaky_relu)), "(self, negative_slope=0.01)")
        with self.assertRaisesRegex(TypeError, "self is not an array that can be written"):
            belay.inplace_leaky_relu(1.0)
        x.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "self is not an array that can be written"):
            belay.inplace_hardswish(x)

    def test_arrays_are_cast_copied_and_filled(self):
        x = numpy.array([[-300.75, 2.5, -0.0], [3e9, numpy.nan, 255]], numpy.float32)
        for dtype, expected in (("int32", [[-300, 2, 0], [2**31 - 1, 0, 255]]), ("uint8", [[212, 2, 0], [0, 0, 255]]),
                                ("bool", [[True, True, False], [True, True, True]]), ("complex64", x)):
            result = belay.cast(x, dtype)
            self.assertEqual(result.dtype, dtype)
            numpy.testing.assert_array_equal(result, expected)
        self.assertEqual(str(inspect.signature(belay.cast)), "(self, dtype=None, *, out=None)")
        out = numpy.empty((2, 3), numpy.int64)
        self.assertIs(belay.cast(x[::-1], out=out), out)
        self.assertEqual(out[0, 0], 3000000000)
        with self.assertRaises(TypeError):
            belay.cast(x, "int64", out=out)
        wide = numpy.zeros((4, 6), numpy.float16)
        view = wide[::2, ::2]
        self.assertIs(belay.inplace_copy(view, numpy.array([1, 2, 3], numpy.uint16)), view)
        numpy.testing.assert_array_equal(view, [[1, 2, 3]] * 2)
        self.assertEqual(wide.sum(), 12)
        belay.inplace_fill_scalar(view, 2.5)
        self.assertEqual(wide.sum(), 15)
        belay.inplace_one(view)
        self.assertEqual(wide.sum(), 6)
        belay.inplace_zero(wide)
        self.assertEqual(wide.sum(), 0)
        self.refused(161002, "aclnnInplaceFillScalar: value has dtype INT64", belay.inplace_fill_scalar,
                     numpy.zeros(3, numpy.uint16), 1)

    def test_results_are_those_of_the_command(self):
        g, x = numbers(belay.bfloat16, (64,)), numbers(belay.bfloat16, (64,))
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(folder + "/g.npy", g)
            numpy.save(folder + "/x.npy", x)
            subprocess.run([command, "eval", "silu_backward", "--gradOutput", "g.npy", "--self", "x.npy", "--out",
                            "out.npy"], check=True, cwd=folder)
            out = numpy.load(folder + "/out.npy")
        self.assertEqual(out.dtype, belay.bfloat16)
        numpy.testing.assert_array_equal(belay.silu_backward(g, x).view("u2"), out.view("u2"))

    def test_any_layout_of_arrays_gives_the_same(self):
        x = numbers(numpy.float32, (4, 6))
        expected = belay.hardswish_backward(x, x)
        wide = numpy.zeros((8, 12), numpy.float32)
        wide[::2, ::2] = x
        for other in (numpy.asfortranarray(x), wide[::2, ::2], x.astype(">f4"), x[::-1, ::-1].copy()[::-1, ::-1]):
            numpy.testing.assert_array_equal(belay.hardswish_backward(x, other), expected)
        view = wide[1::2, 1::2]
        self.assertIs(belay.hardswish_backward(x, x, out=view), view)
        numpy.testing.assert_array_equal(wide[1::2, 1::2], expected)
        swapped = numpy.empty((4, 6), ">f4")
        numpy.testing.assert_array_equal(belay.hardswish_backward(x, x, out=swapped), expected)

    def test_shapes_are_broadcast_and_dtypes_promoted(self):
        result = belay.leaky_relu_backward(numpy.ones((2, 1), numpy.float16), numbers(belay.bfloat16, (3,)))
        self.assertEqual((result.shape, result.dtype), ((2, 3), numpy.float32))
        result = belay.leaky_relu_backward(numpy.ones((2, 1), numpy.float32), numbers(numpy.float64, (3,)))
        self.assertEqual(result.dtype, numpy.float64)
        result = belay.leaky_relu_backward(numpy.ones(3), numpy.ones(3), dtype=numpy.complex64)
        numpy.testing.assert_array_equal(result, numpy.ones(3, numpy.complex64))

    def test_quotients_of_integers_are_float32_unless_asked_for(self):
        x, y = numpy.array([7, -7, 1], numpy.int32), numpy.array([2, 2, 3], numpy.int64)
        self.assertEqual(belay.div(x, y).dtype, numpy.float32)
        numpy.testing.assert_array_equal(belay.div(x, y), (x / y).astype(numpy.float32))
        numpy.testing.assert_array_equal(belay.divs(x, 2), (x / 2).astype(numpy.float32))
        numpy.testing.assert_array_equal(belay.div(x, y, dtype=numpy.int32), [3, -3, 0])

    def test_a_number_that_is_called_dtype_says_nothing_of_the_outputs(self):
        x, weight = numpy.ones((2, 4), numpy.int8), numpy.ones((1, 4, 3), numpy.int8)
        scales, rows = numpy.full((1, 3), 0.5, numpy.float32), numpy.ones(2, numpy.float32)
        given = x, weight, scales, None, None, None, None, rows, numpy.array([2])
        out = numpy.empty((2, 3), numpy.float32)
        self.assertIs(belay.grouped_matmul_finalize_routing_v3(*given, dtype=0, out=out), out)
        numpy.testing.assert_array_equal(out, numpy.full((2, 3), 2))
        with self.assertRaisesRegex(belay.Error, "dtype is 1; 0, FLOAT, is expected"):
            belay.grouped_matmul_finalize_routing_v3(*given, dtype=1)

    def test_outputs_that_are_lists_may_be_given(self):
        x, weight = numpy.ones((3, 4), numpy.float16), numpy.ones((2, 4, 5), numpy.float16)
        out = [numpy.empty((3, 5), numpy.float16)]
        options = {"group_list": numpy.array([1, 2]), "split_item": 3, "group_type": 0, "group_list_type": 1}
        self.assertIs(belay.grouped_matmul_v4([x], [weight], **options, out=out)[0], out[0])
        numpy.testing.assert_array_equal(out[0], numpy.full((3, 5), 4))
        sums = [numpy.empty(2, numpy.float32), numpy.empty(3, numpy.float32)]
        belay.foreach_add_list([numpy.ones(2, numpy.float32), numpy.ones(3, numpy.float32)],
                               [numpy.ones(2, numpy.float32), numpy.ones(3, numpy.float32)], 2, out=sums)
        numpy.testing.assert_array_equal(numpy.concatenate(sums), numpy.full(5, 3))
        with self.assertRaisesRegex(TypeError, "out has 2 arrays; 3 are expected"):
            belay.layer_norm(x, [4], None, None, 1e-5, out=(out[0], out[0]))
        with self.assertRaisesRegex(TypeError, "in out an array is expected for mean_out"):
            belay.layer_norm(x, [4], None, None, 1e-5, out=(out[0], out, out[0]))

    def test_numbers_and_lists_take_the_dtype_of_the_arrays(self):
        x = numpy.array([-1, 0, 1], numpy.float16)
        numpy.testing.assert_array_equal(belay.leaky_relu_backward(1, x, 0.5), numpy.array([0.5, 0.5, 1], "f2"))
        self.assertEqual(belay.silu_backward([1, 1, 1], x).dtype, numpy.float16)
        self.assertEqual(belay.silu_backward([1, 1], [0, 2]).dtype, numpy.float32)
        self.assertEqual(belay.silu_backward(1.0, 0.0), 0.5)
        self.assertEqual(belay.leaky_relu_backward(2, belay.to_bfloat16([1, 2])).dtype, belay.bfloat16)

    def test_what_converts_itself_to_an_array_is_one(self):
        class Other:
            dtype = "no dtype of NumPy"

            def __array__(self, dtype=None, copy=None):
                return numpy.array([-1, 1], numpy.float16)

        self.assertEqual(belay.leaky_relu_backward([1, 1], Other()).dtype, numpy.float16)

    def test_empty_and_scalar_arrays_work(self):
        self.assertEqual(belay.silu_backward(numpy.ones((0, 3), "f4"), numpy.ones((0, 3), "f4")).shape, (0, 3))
        self.assertEqual(belay.silu_backward(numpy.ones((), "f4"), numpy.zeros((), "f4")).shape, ())

    def test_attributes_are_named_numbered_and_checked(self):
        x, target = numpy.arange(4, dtype="f4"), numpy.ones(4, "f4")
        for none in ("none", 0, numpy.int32(0)):
            numpy.testing.assert_array_equal(belay.smooth_l1_loss_backward(1, x, target, none), [-1, 0, 1, 1])
        numpy.testing.assert_array_equal(belay.smooth_l1_loss_backward(1, x, target), numpy.array([-1, 0, 1, 1]) / 4)
        numpy.testing.assert_array_equal(belay.smooth_l1_loss_backward(1, x, target, "sum", beta=2), [-0.5, 0, 0.5, 1])
        with self.assertRaisesRegex(TypeError, "reduction is 'most'; none, mean, sum is expected"):
            belay.smooth_l1_loss_backward(1, x, target, "most")
        self.refused(161002, "aclnnSmoothL1LossBackward: reduction is 3", belay.smooth_l1_loss_backward, 1, x, target,
                     3)
        self.refused(161002, "beta", belay.smooth_l1_loss_backward, 1, x, target, beta=-1)
        self.refused(161002, "negativeSlope", belay.leaky_relu_backward, x, x, -0.5, self_is_result=True)
        self.refused(161002, "negativeSlope", belay.leaky_relu_backward, x, x, 1j)
        for slope in (2, numpy.float16(2), True + 1, numpy.float32(2)):
            self.assertEqual(belay.leaky_relu_backward(x, -x - 1, slope)[3], 6)

    def test_wrong_arguments_raise_before_anything_is_computed(self):
        x = numpy.ones(3, "f4")
        for wrong in (lambda: belay.silu_backward(x), lambda: belay.silu_backward(x, x, x),
                      lambda: belay.silu_backward(x, x, gradient=x), lambda: belay.silu_backward(x, x, out=[1, 2, 3]),
                      lambda: belay.silu_backward(x, x, out=x.copy(), dtype="f4"),
                      lambda: belay.silu_backward(x, numpy.array(["a"])),
                      lambda: belay.leaky_relu_backward(x, x, x),
                      lambda: belay.silu_backward(x, x.astype("longdouble")),
                      lambda: belay.smooth_l1_loss_backward(x, x, x, 0.5)):
            with self.assertRaises(TypeError):
                wrong()

    def test_what_is_no_number_is_not_taken_for_one(self):
        x = numpy.ones(2, "f4")
        for name, wrong in (("self", lambda: belay.silu(None)), ("other", lambda: belay.add(x, None)),
                            ("other", lambda: belay.add(x, [1, None])), ("other", lambda: belay.inplace_add(x, None)),
                            ("grad_output", lambda: belay.leaky_relu_backward(None, x)),
                            ("tensors", lambda: belay.stack([x, None], 0)), ("self", lambda: belay.silu("1")),
                            ("self", lambda: belay.silu(["a"])), ("other", lambda: belay.adds(x, None, 1)),
                            ("other", lambda: belay.adds(x, "1", 1)), ("other", lambda: belay.adds(x, object(), 1)),
                            ("values", lambda: belay.to_bfloat16([1, None]))):
            with self.assertRaisesRegex(TypeError, f"^belay_npu[.][a-z_0-9]+: {name} is .*expected$"):
                wrong()
        self.assertEqual(belay.layer_norm(x, [2])[0].shape, (2,))  # weights that may be missing

    def test_numbers_beside_arrays_are_not_cut_off(self):
        x, i = numpy.ones(2, "f4"), numpy.ones(2, "i4")
        for wrong in (lambda: belay.add(i, 1.5), lambda: belay.add(i, [1, 2.5]), lambda: belay.add(x, 1j)):
            with self.assertRaisesRegex(TypeError, "other is .*, which (int32|float32), the dtype of the arrays, does not hold"):
                wrong()
        numpy.testing.assert_array_equal(belay.add(i, 2), [3, 3])
        self.assertEqual(belay.silu(2**70), 2.0**70)

    def test_integers_that_the_c_type_does_not_hold_raise(self):
        x = numpy.ones((2, 2), "f4")
        for number in (2**63, 2**64, 2**64 + 2, 10**30, -2**63 - 1):
            for name, wide in (("reduction", lambda: belay.smooth_l1_loss(x, x, number)),
                               ("dim", lambda: belay.cumsum(x, number)), ("dims", lambda: belay.flip(x, [0, number])),
                               ("dim", lambda: belay.amax(x, [number]))):
                with self.assertRaisesRegex(OverflowError, f"{name} is {number}; an integer of 64 bits is expected"):
                    wide()
        for number in (2**64, -2**63 - 1):
            with self.assertRaisesRegex(OverflowError, f"other is {number}; a number of at most 64 bits is expected"):
                belay.adds(x, number, 1)
        self.assertEqual(belay.adds(x, 2**63, 1)[0, 0], 2.0**63)  # UINT64

    def test_masks_are_not_lost(self):
        masked = numpy.ma.array([1, 2], mask=[0, 1], dtype="f4")
        x = numpy.ones(2, "f4")
        for wrong in (lambda: belay.silu(masked), lambda: belay.add(x, masked), lambda: belay.silu(x, out=masked),
                      lambda: belay.inplace_add(masked, x), lambda: belay.stack([x, masked], 0),
                      lambda: belay.to_bfloat16(masked)):
            with self.assertRaisesRegex(TypeError, "is a masked array, whose mask would be lost"):
                wrong()
        numpy.testing.assert_array_equal(belay.relu(masked.filled(0)), [1, 0])

    def test_what_the_library_refuses_raises_its_sentence(self):
        x = numpy.ones((2, 3), "f4")
        self.refused(161002, "aclnnSiluBackward: self has shape [3]", belay.silu_backward, x, x[0])
        self.refused(161002, "aclnnSiluBackward: self has dtype DOUBLE", belay.silu_backward, x, x.astype("f8"))
        self.refused(161002, "aclnnSmoothL1LossBackward", belay.smooth_l1_loss_backward, x, x, numpy.ones(4, "f4"))
        self.refused(161002, "aclnnSiluBackward: gradInput", belay.silu_backward, x, x, out=numpy.empty((3, 2), "f4"))

    def test_errors_are_the_same_behind_pickle_and_copy(self):
        x = numpy.ones((2, 3), "f4")
        try:
            belay.silu_backward(x, x[0])
        except belay.Error as caught:
            error = caught
        error.note = "an attribute of the program's own"
        copies = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for again in (*copies, copy.copy(error), copy.deepcopy(error)):
            self.assertIs(type(again), belay.Error)
            self.assertEqual((again.status, str(again), again.args, again.note),
                             (161002, str(error), error.args, error.note))
        self.assertIn("aclnnSiluBackward: self has shape [3]", str(error))
        self.assertEqual(repr(belay.Error(107001, "why")), "Error(107001, 'why')")

    def test_functions_are_found_again_by_their_names(self):
        for name, function in belay.operators.items():
            self.assertEqual((function.__module__, function.__qualname__), ("belay_npu", name))
            self.assertIs(pickle.loads(pickle.dumps(function)), function)

    def test_functions_and_errors_pass_between_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "pools.py")
            program.write_text(POOLS)
            for method in ("spawn", "fork"):
                done = subprocess.run([sys.executable, program, method], capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                lines = done.stdout.splitlines()
                self.assertEqual(len(lines), 2, done.stdout)
                for line in lines:
                    self.assertRegex(line, "^161002 aclnnSilu: self has dtype INT32; ")

    def test_nothing_is_left_on_the_device(self):
        x = numpy.ones(1 << 16, "f4")
        belay.silu_backward(x, x)
        before = acl.rt.get_mem_info(acl.ACL_HBM_MEM)
        for _ in range(20):
            belay.leaky_relu_backward(x, x)
            self.refused(161002, "self", belay.silu_backward, x, x[:-1])
        self.assertEqual(acl.rt.get_mem_info(acl.ACL_HBM_MEM), before)

    def test_the_device_of_the_thread_is_used_and_each_thread_may_call(self):
        x = numbers(numpy.float32, (1000,))
        expected = belay.silu_backward(x, x)
        results = []

        def work(device):
            if device is not None:
                acl.rt.set_device(device)
            for _ in range(10):
                results.append((belay.silu_backward(x, x), acl.rt.get_device()[0]))

        threads = [threading.Thread(target=work, args=(device,)) for device in (None, 0, 1, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(device for _, device in results), [0] * 20 + [1] * 20)
        for result, _ in results:
            numpy.testing.assert_array_equal(result, expected)


class Bfloat16(unittest.TestCase):
    def test_only_bfloat16_or_its_bits_are_read_as_such(self):
        for dtype in ("f2", "f4", "f8", "i2", "i4", "u1", "V4"):
            with self.assertRaisesRegex(TypeError, "from_bfloat16: array has the dtype .*; bfloat16 .V2. or uint16"):
                belay.from_bfloat16(numpy.ones(3, "i8").astype(dtype) if dtype != "V4" else numpy.zeros(3, dtype))
        with self.assertRaises(TypeError):
            belay.from_bfloat16([1, 2])
        with self.assertRaisesRegex(TypeError, "real numbers are expected"):
            belay.to_bfloat16(1j)
        for order in "<>":
            numpy.testing.assert_array_equal(belay.from_bfloat16(numpy.array([0x3F80], order + "u2")), [1])

    def test_every_number_comes_back(self):
        bits = numpy.arange(1 << 16, dtype=numpy.uint16)
        numbers = belay.from_bfloat16(bits.view(belay.bfloat16))
        back = belay.to_bfloat16(numbers).view(numpy.uint16)
        nan = numpy.isnan(numbers)
        numpy.testing.assert_array_equal(back[~nan], bits[~nan])
        self.assertTrue(numpy.all(back[nan] == 0x7FC0))

    def test_values_are_rounded_once_from_both_sides_of_every_tie(self):
        bits = numpy.arange(0x7F80, dtype=numpy.uint16)
        low = belay.from_bfloat16(bits.view(belay.bfloat16)).astype(numpy.float64)
        high = belay.from_bfloat16((bits[:-1] + numpy.uint16(1)).view(belay.bfloat16)).astype(numpy.float64)
        tie = (low[:-1] + high) / 2
        even = bits[:-1] + (bits[:-1] & 1)
        for sign in (1, -1):
            for value, expected in ((tie, even), (numpy.nextafter(tie, 0), bits[:-1]),
                                    (numpy.nextafter(tie, math.inf), bits[:-1] + 1)):
                rounded = belay.to_bfloat16(sign * value).view(numpy.uint16)
                numpy.testing.assert_array_equal(rounded & 0x7FFF, expected)
                self.assertTrue(numpy.all(rounded >> 15 == (sign < 0)))
        self.assertEqual(belay.to_bfloat16(1e300).view(numpy.uint16), 0x7F80)
        self.assertEqual(belay.to_bfloat16(-1e-300).view(numpy.uint16), 0x8000)
        self.assertEqual(belay.to_bfloat16([[1, 2]]).shape, (1, 2))


if __name__ == "__main__":
    unittest.main()
