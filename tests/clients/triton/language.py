# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What of Triton's language no program beside this one uses: names of `triton.language`, of triton-ascend's additions and
of `libdevice`, each compared with torch on the CPU, or refused: `scripts/triton_names.py` makes the table of
docs/triton-language.md of these programs and of REFUSED.

    belay run python tests/clients/triton/language.py [NAME...]
"""
import sys

import torch
import triton
import triton.language as tl
from triton.language.extra.ascend import libdevice

from cases import DEVICE, case, drawn, each_case, main, near, refused


@triton.jit
def value_kernel(x, y, out, N: tl.constexpr, WHICH: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    w = tl.load(y + at)
    if WHICH == "acos":
        v = libdevice.acos(v)
    elif WHICH == "acosh":
        v = libdevice.acosh(v)
    elif WHICH == "asin":
        v = libdevice.asin(v)
    elif WHICH == "asinh":
        v = libdevice.asinh(v)
    elif WHICH == "atan2":
        v = tl.math.atan2(v, w)
    elif WHICH == "atanh":
        v = libdevice.atanh(v)
    elif WHICH == "copysign":
        v = libdevice.copysign(v, w)
    elif WHICH == "cyl_bessel_i0":
        v = libdevice.cyl_bessel_i0(v)
    elif WHICH == "erfinv":
        v = libdevice.erfinv(v)
    elif WHICH == "gamma":
        v = libdevice.gamma(v)
    elif WHICH == "ilogb":
        v = libdevice.ilogb(v)
    elif WHICH == "lgamma":
        v = libdevice.lgamma(v)
    elif WHICH == "log10":
        v = libdevice.log10(v)
    elif WHICH == "nearbyint":
        v = libdevice.nearbyint(v)
    elif WHICH == "nextafter":
        v = libdevice.nextafter(v, w)
    elif WHICH == "signbit":
        v = tl.where(libdevice.signbit(v), 1.0, 0.0)
    elif WHICH == "trunc":
        v = libdevice.trunc(v)
    elif WHICH == "add":
        v = tl.add(v, w)
    elif WHICH == "div_rn":
        v = tl.div_rn(v, w)
    elif WHICH == "fdiv":
        v = tl.fdiv(v, w)
    elif WHICH == "erf":
        v = tl.erf(v)
    elif WHICH == "sqrt_rn":
        v = tl.sqrt_rn(v)
    elif WHICH == "softmax":
        v = tl.softmax(v)
    elif WHICH == "zeros_like":
        v = tl.zeros_like(v) + w
    elif WHICH == "view":
        v = tl.view(tl.view(v, (4, N // 4)) * 2, (N,))
    elif WHICH == "broadcast":
        v = tl.ravel(tl.broadcast(tl.reshape(v, (N, 1)), tl.zeros((1, 1), tl.float32))[0])
    elif WHICH == "interleave":
        v, _ = tl.split(tl.reshape(tl.interleave(v, w), (N, 2)))
    elif WHICH == "cast":
        v = tl.cast(tl.cast(v, tl.int32, bitcast=True) ^ 1, tl.float32, bitcast=True)
    elif WHICH == "halves":
        v = tl.cast(tl.cast(v, tl.float16), tl.float32) + tl.cast(tl.cast(w, tl.bfloat16), tl.float32)
    elif WHICH == "integers":
        v = (v.to(tl.int16).to(tl.int8).to(tl.uint8) + w.to(tl.uint16).to(tl.uint64).to(tl.uint32)).to(tl.float32)
    elif WHICH == "max_constancy":
        v = v + tl.max_constancy(w, 1)
    elif WHICH == "compile_hint":
        tl.compile_hint(v, "hint")
        v = v + w
    elif WHICH == "multibuffer":
        tl.multibuffer(v, 2)
        v = v + w
    elif WHICH == "parallel":
        total = tl.zeros((N,), tl.float32)
        for _ in tl.parallel(0, 2):
            total += v
        v = total
    elif WHICH == "set_element":
        v = libdevice.set_element(v, tl.full((1,), 3, tl.int32), tl.sum(w * 0) + 7.0)
    elif WHICH == "topk":
        v = tl.reshape(tl.broadcast_to(tl.topk(v, 4)[None, :], (N // 4, 4)), (N,))
    elif WHICH == "rint":
        v = tl.math.rint(v)
    elif WHICH == "isfinited":
        v = tl.where(tl.math.isfinited(v / w), 1.0, 0.0)
    elif WHICH == "finitef":
        v = tl.where(tl.math.finitef(v / w), 1.0, 0.0)
    elif WHICH == "swizzle2d":
        i, j = tl.swizzle2d(at // 8, at % 8, N // 4, 8, 2)
        v = (i * 8 + j).to(tl.float32)
    elif WHICH == "div_rz":
        v = libdevice.div_rz(v, w)
    elif WHICH == "fmod":
        v = libdevice.fmod(v, w)
    elif WHICH == "float64":
        v = (v.to(tl.float64) * w.to(tl.float64)).to(tl.float32)
    elif WHICH == "inline_asm_elementwise":
        v = tl.inline_asm_elementwise("mov $0, $1;", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)
    elif WHICH == "sync_block_all":
        tl.sync_block_all("all", 3)
        v = v + w
    elif WHICH == "sync_block":
        tl.sync_block_set("cube", "vector", 3)
        tl.sync_block_wait("cube", "vector", 3)
        v = v + w
    elif WHICH == "uint_to_uniform_float":
        v = tl.uint_to_uniform_float(tl.cast(v, tl.uint32))
    elif WHICH == "pair_uniform_to_normal":
        a, b = tl.pair_uniform_to_normal(v, w)
        v = a * a + b * b
    elif WHICH == "tanh":
        v = tl.tanh(v)
    elif WHICH == "umulhi":
        v = tl.umulhi(tl.cast(v, tl.int32) * 65536, tl.cast(w, tl.int32) * 65536).to(tl.float32)
    elif WHICH == "flip":
        v = libdevice.flip(v, 0)
    elif WHICH == "atan2_of_two":
        v = libdevice.atan2(v, w)
    elif WHICH == "int1":
        v = (v > 0).to(tl.int1).to(tl.float32)
    tl.store(out + at, v)


def values(x, y, which):
    out = torch.empty_like(x, device=DEVICE)
    value_kernel[(2,)](x.to(DEVICE), y.to(DEVICE), out, x.numel() // 2, WHICH=which)
    return out


def value(number, wanted, bound=0.0, draw=None):
    def run():
        x, y = draw() if draw is not None else (drawn(128), drawn(128))
        near(values(x, y, run.__name__[len("value_"):]), wanted(x, y), bound)
    return run


def inside():
    return torch.rand(128) * 1.8 - 0.9, drawn(128)


def above():
    return torch.rand(128) * 4 + 1.1, drawn(128)


def whole():
    return torch.randint(1, 100, (128,)).float(), torch.randint(1, 100, (128,)).float()


def next_bit(x, _):
    return (x.view(torch.int32) ^ 1).view(torch.float32)


def swizzled(x, _):
    i, j = torch.arange(128) // 8, torch.arange(128) % 8
    at, group = i * 8 + j, 16
    first = at // group * 2
    rows = torch.minimum(16 - first, torch.tensor(2))
    inner = at % group
    return ((first + inner % rows) * 8 + inner // rows).float()


def replaced(x, y):
    x = x.clone()
    x[3] = x[67] = 7.0
    return x


def shares():
    return torch.rand(128) * 0.9 + 0.05, torch.rand(128)


def largest(x, _):
    return torch.cat([half.topk(4).values.repeat(16) for half in x.chunk(2)])


each_case("value", value, [
    ("acos", lambda x, y: x.acos(), 1e-3, inside), ("acosh", lambda x, y: x.acosh(), 1e-5, above),
    ("asin", lambda x, y: x.asin(), 1e-3, inside), ("asinh", lambda x, y: x.asinh(), 1e-5),
    ("atan2", lambda x, y: torch.atan2(x, y), 1e-6), ("atanh", lambda x, y: x.atanh(), 1e-5, inside),
    ("copysign", lambda x, y: x.copysign(y)), ("cyl_bessel_i0", lambda x, y: x.i0(), 1e-4),
    ("erfinv", lambda x, y: x.erfinv(), 1e-4, inside), ("gamma", lambda x, y: x.lgamma().exp(), 1e-2, above),
    ("ilogb", lambda x, y: x.abs().log2().floor()), ("lgamma", lambda x, y: x.lgamma(), 1e-4, above),
    ("log10", lambda x, y: x.log10(), 1e-6, above), ("nearbyint", lambda x, y: x.round()),
    ("nextafter", lambda x, y: x.nextafter(y)), ("signbit", lambda x, y: x.signbit().float()),
    ("trunc", lambda x, y: x.trunc()), ("add", lambda x, y: x + y), ("div_rn", lambda x, y: x / y),
    ("fdiv", lambda x, y: x / y), ("erf", lambda x, y: x.erf(), 1e-6),
    ("sqrt_rn", lambda x, y: x.double().sqrt().float(), 0.0, above),
    ("softmax", lambda x, y: torch.cat([half.softmax(0) for half in x.chunk(2)]), 1e-6),
    ("zeros_like", lambda x, y: y), ("view", lambda x, y: 2 * x), ("broadcast", lambda x, y: x),
    ("interleave", lambda x, y: x), ("cast", next_bit),
    ("halves", lambda x, y: x.half().float() + y.bfloat16().float()), ("integers", lambda x, y: x + y, 0.0, whole),
    ("max_constancy", lambda x, y: x + y), ("compile_hint", lambda x, y: x + y), ("multibuffer", lambda x, y: x + y),
    ("parallel", lambda x, y: x + x), ("set_element", replaced), ("topk", largest), ("rint", lambda x, y: x.round()),
    ("isfinited", lambda x, y: (x / y).isfinite().float()), ("finitef", lambda x, y: (x / y).isfinite().float()),
    ("swizzle2d", swizzled), ("sync_block_all", lambda x, y: x + y), ("sync_block", lambda x, y: x + y),
    ("float64", lambda x, y: (x.double() * y.double()).float()), ("int1", lambda x, y: (x > 0).float()),
    ("tanh", lambda x, y: x.tanh(), 1e-6), ("umulhi", lambda x, y: x * y, 0.0, whole),
    ("flip", lambda x, y: torch.cat([half.flip(0) for half in x.chunk(2)])),
    ("uint_to_uniform_float", lambda x, y: x / 2**31, 1e-7, lambda: (whole()[0] * 2**20, whole()[1])),
    ("pair_uniform_to_normal", lambda x, y: -2 * x.log(), 1e-5, shares)])


# What triton-ascend 3.2.0 or Belay refuses, and a part of the sentence.
REFUSED = {
    "tl.inline_asm_elementwise": "tl.inline_asm_elementwise is not lowered to the host",
    "tl.index_select": "the kernel calls triton_embedding_gather, which is not lowered to the host",
    "libdevice.index_put": "the kernel calls triton_index_put, which is not lowered to the host",
    "libdevice.gather_out_to_ub": "the kernel calls triton__gather_out_to_ub, which is not lowered to the host",
    "libdevice.atan2": "argument must be provided outside of JIT functions",
    "libdevice.div_rz": "argument must be provided outside of JIT functions",
    "libdevice.fmod": "argument must be provided outside of JIT functions",
    "tl.float8e4nv": "unexpected type fp8",
    "tl.float8e5": "unexpected type fp8",
}


def value_refused(number, name):
    x = torch.ones(128)
    which = "atan2_of_two" if name == "libdevice.atan2" else name.split(".")[1]
    return lambda: refused(REFUSED[name], lambda: values(x, x, which))


each_case("refused", value_refused,
          [("atan2_of_two", "libdevice.atan2")] +
          [(name.split(".")[1], name) for name in ("tl.inline_asm_elementwise", "libdevice.div_rz", "libdevice.fmod")])


@triton.jit
def small_kernel(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at))


def small(number, name, dtype):
    x = torch.zeros(64, dtype=torch.int8).view(dtype)
    return lambda: refused(REFUSED[name], lambda: small_kernel[(1,)](x.to(DEVICE), x.to(DEVICE), 64))


each_case("refused", small, [("float8e4nv", "tl.float8e4nv", torch.float8_e4m3fn),
                             ("float8e5", "tl.float8e5", torch.float8_e5m2)])


@triton.jit
def descriptor_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    # triton-ascend 3.2.0 computes on what a descriptor has loaded when its shape has been said once more.
    value = tl.reshape(tl.load_tensor_descriptor(source, [i, j]), (BM, BN))
    tl.store_tensor_descriptor(target, [i, j], value + tl.reshape(source.load([i, j]), (BM, BN)))
    target.store([i, j], value * 2)


@case
def tensor_descriptors():
    """Of whole blocks: triton-ascend 3.2.0 drops the shape, so that blocks beyond it are not cut."""
    x = drawn(64, 96)
    out = torch.full((64, 96), -1.0, device=DEVICE)
    descriptor_kernel[(4, 3)](x.to(DEVICE), out, 64, 96, 16, 32)
    near(out, 2 * x)


@triton.jit
def select_kernel(x, index, out, R: tl.constexpr, C: tl.constexpr, WHICH: tl.constexpr):
    rows = tl.load(index + tl.arange(0, R))
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    if WHICH == "index_select_simd":
        v = libdevice.index_select_simd(x, dim=0, index=rows, src_shape=[16, C], src_offset=[-1, 0], read_shape=[-1, C])
        tl.store(out + at, v)
    elif WHICH == "index_put":
        libdevice.index_put(ptr=out, index=rows, value=tl.load(x + at), dim=0, dst_shape=(16, C), dst_offset=(0, 0))
    elif WHICH == "gather_out_to_ub":
        places = tl.broadcast_to(rows[:, None], (R, C))
        v = libdevice.gather_out_to_ub(src=x, index_tile=places, index_boundary=16, dim=0, src_stride=(C, 1),
                                       index_shape=(R, C), offsets=(0, 0))
        tl.store(out + at, v)
    elif WHICH == "index_select":
        v = tl.index_select(x, rows, 16, C, (0, 0), (R, C))
        tl.store(out + at, v)


def select(which, out):
    x, index = torch.arange(128.0).reshape(16, 8), torch.tensor([3, 15, 0, 7], dtype=torch.int32)
    select_kernel[(1,)](x.to(DEVICE), index.to(DEVICE), out, 4, 8, WHICH=which)
    return x[index.long()]


@case
def index_select_simd():
    out = torch.zeros(4, 8, device=DEVICE)
    wanted = select("index_select_simd", out)
    near(out, wanted)


def select_refused(number, name):
    return lambda: refused(REFUSED[name], lambda: select(name.split(".")[1], torch.zeros(16, 8, device=DEVICE)))


each_case("refused", select_refused, [(name.split(".")[1], name) for name in
                                      ("libdevice.index_put", "libdevice.gather_out_to_ub", "tl.index_select")])


@triton.jit
def scaled_kernel(a, a_scale, b, b_scale, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    scales = tl.arange(0, N)[:, None] * (N // 32) + tl.arange(0, N // 32)[None, :]
    v = tl.dot_scaled(tl.load(a + at), tl.load(a_scale + scales), "bf16", tl.load(b + at), tl.load(b_scale + scales), "bf16")
    tl.store(out + at, v)


@case
def dot_scaled():
    a, b = drawn(64, 64).bfloat16(), drawn(64, 64).bfloat16()
    a_scale, b_scale = (torch.randint(-3, 4, (64, 2)).to(torch.int8) for _ in range(2))  # triton-ascend's have no bias
    out = torch.empty(64, 64, device=DEVICE)
    scaled_kernel[(1,)](a.to(DEVICE), a_scale.to(DEVICE), b.to(DEVICE), b_scale.to(DEVICE), out, 64)
    left = a.float() * (2.0 ** a_scale.float()).repeat_interleave(32, 1)
    right = b.float() * (2.0 ** b_scale.float()).repeat_interleave(32, 1).T
    near(out, left @ right, 1e-3)


@triton.jit
def random_kernel(out, N: tl.constexpr, WHICH: tl.constexpr):
    at = tl.arange(0, N)
    if WHICH == "philox":
        a, b, c, d = tl.philox(7, at, at, at, at)
    elif WHICH == "randint4x":
        a, b, c, d = tl.randint4x(7, at)
    elif WHICH == "rand4x":
        a, b, c, d = tl.rand4x(7, at)
    else:
        a, b, c, d = tl.randn4x(7, at)
    tl.store(out + at, a.to(tl.float32))
    tl.store(out + N + at, b.to(tl.float32))
    tl.store(out + 2 * N + at, c.to(tl.float32))
    tl.store(out + 3 * N + at, d.to(tl.float32))


def philox(seed, places, rounds=10):
    """Four words of 32 bits for each counter; high words are those of signed products, as triton-ascend 3.2.0 has them."""
    def product(a, b):
        signed = (a - (a >> 31 << 32)) * (b - (b >> 31 << 32))
        return signed >> 32 & 0xFFFFFFFF, signed & 0xFFFFFFFF

    def of_one(c0, c1, c2, c3):
        k0, k1 = seed, 0
        for _ in range(rounds):
            (high_a, low_a), (high_b, low_b) = product(0xD2511F53, c0), product(0xCD9E8D57, c2)
            c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
            k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
        return c0, c1, c2, c3
    return torch.tensor([of_one(*place) for place in places]).T


def uniform(words):
    signed = torch.where(words < 2**31, words, words - 2**32)
    return torch.where(signed < 0, -signed - 1, signed).float() * 4.6566127342e-10


def normal(words):
    u = uniform(words).double()
    radius, angle = (-2 * u[::2].clamp(min=1e-7).log()).sqrt(), 2 * torch.pi * u[1::2]
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1).reshape(4, -1).float()


def numbers(number, is_counted, made, bound):
    """Of counters that have their number in each word, or in the first alone."""
    def run():
        out = torch.empty(4, 512, device=DEVICE)
        random_kernel[(1,)](out, 512, WHICH=run.__name__[len("numbers_"):])
        near(out, made(philox(7, [(i, i, i, i) if is_counted else (i, 0, 0, 0) for i in range(512)])), bound)
    return run


each_case("numbers", numbers, [("philox", True, torch.Tensor.float, 0.0), ("randint4x", False, torch.Tensor.float, 0.0),
                               ("rand4x", False, uniform, 1e-7), ("randn4x", False, normal, 1e-5)])


if __name__ == "__main__":
    sys.exit(main())
