# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""numpy-ascend's arrays (imported as cupy) beside NumPy's. It sorts FLOAT as INT32, which is right for no negative number."""
import sys
import types

import numpy

# The wheel of 14.0.0a1 imports a module that it does not have.
sys.modules["cupyx.scipy.fftpack"] = types.ModuleType("cupyx.scipy.fftpack")
sys.modules["cupyx.scipy.fftpack"].get_fft_plan = None
import cupy  # noqa: E402

draw = numpy.random.default_rng(1)
a, b = draw.standard_normal((4, 6)).astype(numpy.float32), draw.uniform(0.5, 2, (4, 6)).astype(numpy.float32)
square = draw.standard_normal((6, 6)).astype(numpy.float32)
whole = draw.integers(-9, 9, (4, 6)).astype(numpy.int32)
EXPRESSIONS = """a + b|a - b|a * b|a / b|a ** 2|-a|2 * a + 1|xp.exp(a)|xp.log(b)|xp.sqrt(b)|xp.sin(a)|xp.cos(a)|xp.tanh(a)|xp.abs(a)
xp.maximum(a, b)|xp.minimum(a, b)|a > b|a == a|xp.where(a > 0, a, b)|a.sum()|a.sum(axis=0)|a.mean(axis=1)|a.max(axis=1)|a.min()
a.argmax(axis=1)|a @ square|xp.dot(a, square)|a.T|a.reshape(3, 8)|xp.concatenate([a, b], axis=0)|xp.stack([a, b])|a[1:3, ::2]
a[:, 2]|xp.arange(7)|xp.zeros((2, 3))|xp.ones((2, 3), dtype=xp.float32)|xp.full((2, 2), 5)|xp.eye(3)|xp.floor(a)|xp.ceil(a)
xp.clip(a, -1, 1)|a.astype(xp.float16)|whole + 1|whole // 2|whole % 4|whole & 3|xp.cumsum(a, axis=1)|xp.sort(whole, axis=1)
xp.transpose(a, (1, 0))|xp.expand_dims(a, 0)|xp.power(b, a)|xp.sign(a)|xp.isnan(a)|xp.logical_and(a > 0, b > 1)|a.std()|a.var(axis=0)
xp.square(a)|xp.outer(a[0], b[0])|xp.tile(a, (2, 1))|xp.repeat(a, 2, axis=0)|xp.linspace(0, 1, 5)|xp.prod(b, axis=1)|a.ravel()"""
right, said = 0, []
for expression in EXPRESSIONS.replace("\n", "|").split("|"):
    names = dict(a=a, b=b, square=square, whole=whole)
    wanted = numpy.asarray(eval(expression, dict(names, xp=numpy)))
    try:
        found = cupy.asnumpy(eval(expression, dict({k: cupy.asarray(v) for k, v in names.items()}, xp=cupy)))
    except Exception as error:  # what the client itself cannot
        said.append(f"{expression}: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}")
        continue
    assert found.shape == wanted.shape and numpy.allclose(found, wanted, 1e-3 if found.dtype == numpy.float16 else 1e-5, 1e-5), \
        (expression, found, wanted)
    right += 1
print("\n".join(said))
print(f"{right} expressions are right, {len(said)} raise")
assert right > 0
