#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Plants faults in the loops of each family, each in a library of its own (mutant_kernels.py) beside build-gcc, whose tests are
built, and expects the family's tests to fail: says for each which test noticed it. The exit status is 1 where none did.

    scripts/planted_faults.py [FAMILY...]      all, or those whose name, or what stands before its comma, is given
    scripts/planted_faults.py --special        those at special values
    scripts/planted_faults.py --places         only whether each text is where it should be, once
"""
import atexit
import os
import pathlib
import shutil
import sys

import mutant_kernels

ROOT = pathlib.Path(__file__).resolve().parent.parent

# family: file below src/ops, what stands there, what takes its place, the tests
FAULTS = {
    "pointwise": ("loops/elementwise_lines.c", "output += part[k] * bytes;", "output += (part[k] - 1) * bytes;",
                  "ops/elementwise_walk"),
    "reduction": ("loops/reduce_walk.c", "plan->kernel->merge(state, next + k * words, words);", "(void)next;", "ops/reduce"),
    "rows": ("loops/rows_walk.c", "run_kernel(walk, lane, begin, rows, sums, kernel_room);",
             "run_kernel(walk, lane, begin, rows - (rows > 1), sums, kernel_room);", "ops/rows"),
    "index": ("index/index_read.c", "value >= size", "value > size", "ops/gather_v2"),
    "move": ("loops/move_walk.c", "to += tile->index[i] * part->axis[i].to;", "to += tile->index[i] * part->axis[i].from;",
             "ops/moving"),
    "contraction": ("contraction/contraction.c", "        first += depth;", "        first += depth + 1;", "ops/contraction"),
    "window": ("window/max_pool2d_with_mask.c", "*first = *begin < 0 ? -*begin : 0;", "*first = 0;", "ops/window"),
    "random": ("random/draw.c", "at->word[3][b] = (uint32_t)(draw->offset >> 32);", "at->word[3][b] = 0;",
               "ops/random"),
    "create": ("loops/tasks.c", "at = number * work->piece,", "at = number * (work->piece - 64),", "ops/creating"),
    "sorting": ("sorting/key.h", "size > order->infinity", "size >= order->infinity", "ops/sorting"),
    "composite": ("composite/binary_cross_entropy_with_logits.c", "(1 - y) * above + p * y * below", "(1 - y) * above + p * below",
                  "ops/composite"),
    "convolution": ("convolution/planes.c", "clamp(behind - axis->first - row, *begin, size)",
                    "clamp(behind - axis->first - row - 1, *begin, size)", "ops/convolution"),
    "attention": ("attention/walk.c", "for (uint32_t i = 0; is_bounded && i < work->rows; i++)",
                  "for (uint32_t i = 1; is_bounded && i < work->rows; i++)", "ops/attention"),
    "recurrent": ("recurrent/steps.c", "for (uint64_t j = 0; j < rows->inner; j++)",
                  "for (uint64_t j = 0; j + (rows->inner > 2) < rows->inner; j++)", "ops/recurrent"),
    "scan": ("loops/scan.c", "stride[k] * (self->shape[i] - 1)", "stride[k] * (self->shape[i] - 2)", "ops/cumsum"),
    "quantise": ("quantise/formats.h", "value < least ? least", "value < least ? 0", "ops/quantising"),
    "experts": ("experts/routing.c", "routing->expert[i] < plan->high", "routing->expert[i] <= plan->high", "ops/experts"),
    "with_ranks": ("with_ranks/with_ranks.c", "{rank * bytes, bytes}", "{rank * bytes + 1, bytes}", "ops/with_ranks"),
    "foreach": ("foreach/foreach.c", "i < list->count; i++", "i + 1 < list->count; i++", "ops/foreach"),
    # Further ones of families that call other families' loops.
    "composite, the greatest of several": ("composite/max_n.c", "for (uint64_t i = 1; i < plan->count; i++) {",
                                           "for (uint64_t i = 2; i < plan->count; i++) {", "ops/max_n"),
    "composite, a moment": ("composite/optimizer.c", "m += (g - m) * rest1;", "m += (g - m) + rest1;", "ops/optimizers"),
    "contraction, a diagonal of 1": ("contraction/triangular_solve.c", "k < columns && !triangle->is_unit; k++", "k < columns; k++",
                                     "ops/triangular_solve"),
    "contraction, rows of results": ("contraction/finish.h", "        out += out_bytes;", "", "ops/contraction"),
    "convolution, the next channel": (
        "convolution/terms.c", "tables->plane_place[begin + i - steps] + channel;",
        "tables->plane_place[begin + i - steps];", "ops/convolution"),
    "convolution, positions that go on": (
        "convolution/correlation_finish.c", "some = together - at % together;", "some = together;", "ops/convolution"),
    "convolution, a bias with gaps": ("convolution/correlation.c", "place += rest % bias->size[k] * bias->stride[k];",
                                      "place += rest % bias->size[k];", "ops/convolution"),
    "attention, a bias that is scaled": (
        "attention/kernels.c", "block->is_bias_scaled ? scale * (score + bias) : score * scale + bias", "score * scale + bias",
        "ops/attention"),
    "attention, what is hidden": ("attention/kernels.c", "(word >> (j % 32) & 1)", "(word >> (j % 31) & 1)", "ops/attention"),
    "recurrent, the other direction": ("recurrent/forward.c", "network->steps - 1 - n : n", "n : n", "ops/recurrent"),
    "recurrent, sequences that begin later": (
        "recurrent/backward.c", "t + 1 < network->steps ? (uint64_t)memory->batch_size[t + 1]",
        "t + 1 < network->steps ? (uint64_t)memory->batch_size[t]", "ops/recurrent"),
    "experts, a group's second": ("experts/gating_run.c", "room->group[g] += value[greatest_of(value, is_out, size)];", "",
                                  "ops/gating"),
    "experts, the bias of a choice": ("experts/gating_run.c", "room->value[i] = room->score[i] + room->bias[i];",
                                      "room->value[i] = room->score[i];", "ops/gating"),
    "with_ranks, the own rows": ("with_ranks/matmul_with_ranks.c", "sends[i] = (struct group_part){rank * bytes, bytes};",
                                 "sends[i] = (struct group_part){i * bytes, bytes};", "ops/with_ranks"),
    "with_ranks, what is left of a sum": ("with_ranks/matmul_with_ranks.c", "count / ranks + (i < count % ranks);", "count / ranks;",
                                          "ops/with_ranks"),
    "with_ranks, experts of a rank": ("with_ranks/combine.c", "const uint64_t slot = expert * layout->ranks + rank;",
                                      "const uint64_t slot = rank * own + expert;", "ops/dispatch"),
    "foreach, a kind of norm": ("foreach/norm.c", ": p == 1                 ? NORM_SUM", ": p == 1                 ? NORM_SQUARES",
                                "ops/foreach"),
    "foreach, scalars with gaps": ("foreach/foreach.c", "(int64_t)index * view->stride[0] *", "(int64_t)index *", "ops/foreach"),
}


# What is wrong at special values alone: file below src/ops, what stands there, what takes its place; of a header the source
# that is compiled with it, where it is not any.
SPECIAL = {
    "logaddexp of infinities": ("pointwise/pow.c", "return choose(x[0] == x[1], x[0] + maths_ln2[0], value);", "return value;"),
    "add_relu of -0": ("pointwise/combine.c", "return choose(sum <= 0, broadcast(0), sum);", "return choose(sum < 0, broadcast(0), sum);"),
    "hardtanh_backward at min and max": (
        "pointwise/activation_gradients.c", """vector_equal(x[1], vector_of((float)number[0])) | vector_greater(vector_of((float)number[0]), x[1]) |
        vector_equal(x[1], vector_of((float)number[1])) | vector_greater(x[1], vector_of((float)number[1]));""",
        """vector_greater(vector_of((float)number[0]), x[1]) |
        vector_greater(x[1], vector_of((float)number[1]));"""),
    "atan2 of infinities": ("../simd/maths/arc.h", "ratio = choose((above == infinity) & (across == infinity), broadcast(1), ratio);",
                            "", "src/ops/pointwise/pow.c"),
    "xlogy of NaN": ("pointwise/pow.c", "choose((x[0] == 0) & (x[1] == x[1]), broadcast(0), x[0] * maths_log(x[1]))",
                     "choose(x[0] == 0, broadcast(0), x[0] * maths_log(x[1]))"),
    "xlogy of zero": ("pointwise/pow.c", "choose((x[0] == 0) & (x[1] == x[1]), broadcast(0), x[0] * maths_log(x[1]))",
                      "x[0] * maths_log(x[1])"),
    "rsub of infinities": ("pointwise/combine.c", "return choose(sum.low == sum.low, round_to_odd(sum.high, sum.low), sum.high);",
                           "return round_to_odd(sum.high, sum.low);"),
    "lerp beyond doubles": ("pointwise/combine.c", "return value_or(pair_add(alone(x[0]), way), formula_lerp(x, prepared));",
                            "return pair_add(alone(x[0]), way).high;"),
    "the slope of gelu far out": ("pointwise/gates.h", "return choose(size > 60, truth(x > 0), slope);", "return slope;"),
    "the gradient of logit outside": (
        "pointwise/logit.c", "return choose((x[0] < 0) | (x[0] > 1), broadcast((double)NAN), value);", "return value;"),
    "maximum of NaN": ("pointwise/clamp.c", "return choose((x[1] > x[0]) | (x[1] != x[1]), x[1], x[0]);",
                       "return choose(x[1] > x[0], x[1], x[0]);"),
    "maximum of NaN in FLOAT": ("pointwise/clamp.c", "return vector_choose(vector_is_nan(x[1]), x[1], vector_greatest(x[1], x[0]));",
                                "return vector_greatest(x[1], x[0]);"),
    "the remainder of an infinity": ("pointwise/division.c", "(by > 0x1p-900) & (by < 0x1p1000);", "(by > 0x1p-900);"),
}


def judged(build, mutant, file, there, instead, users, tests, has_contract=False):
    """killed or not, and the test that noticed it; tests: of the sources, for its own ones."""
    path = os.path.normpath(f"src/ops/{file}")
    text = (ROOT / path).read_text()
    sources = users or ([path] if path.endswith(".c") else sorted(build.includers[path])[:mutant_kernels.USERS])
    return mutant.attempt(path, text, (text.index(there), len(there), instead), sources, tests(path, sources), has_contract)


def begin():
    build = mutant_kernels.Build(ROOT / "build-gcc")
    mutant_kernels.WORK.mkdir(exist_ok=True)
    mutant = mutant_kernels.Mutant(build, f"-planted-{os.getpid()}")
    atexit.register(shutil.rmtree, mutant.folder, True)
    return build, mutant


def in_families(families):
    """Each of FAULTS, noticed by the test that is named, or those whose names begin so."""
    (build, mutant), missed = begin(), 0
    for family in families:
        file, there, instead, test = FAULTS[family]
        stem = test.removeprefix("ops/")
        stems = sorted(name for name in build.tests if name.startswith(stem))
        verdict, noticed = judged(build, mutant, file, there, instead, None, lambda *_: [(stem, []) for stem in stems], True)
        missed += verdict != "killed"
        print(f"{family}: " + (f"noticed by ops/{noticed}" if verdict == "killed" else f"NOT NOTICED ({verdict})"), flush=True)
    print(f"{len(families) - missed} of {len(families)} noticed")
    return 1 if missed else 0


def at_special_values():
    """Each of SPECIAL, noticed by the tests that mutants of kernels have."""
    (build, mutant), missed = begin(), 0

    def named(path, sources):
        return [(stem, words) for stem, words in mutant_kernels.tests_for(build, path, sources) if words]

    for name, (file, there, instead, *users) in SPECIAL.items():
        verdict, test = judged(build, mutant, file, there, instead, users, named)
        missed += verdict != "killed"
        print(f"{name}: " + (f"noticed by ops/{test}" if verdict == "killed" else f"NOT NOTICED ({verdict})"), flush=True)
    print(f"{len(SPECIAL) - missed} of {len(SPECIAL)} noticed")
    return 1 if missed else 0


def places():
    every = FAULTS | SPECIAL
    counts = {family: (ROOT / "src/ops" / file).read_text().count(there) for family, (file, there, *_) in every.items()}
    wrong = [f"{family}: its text is there {count} times" for family, count in counts.items() if count != 1]
    print("\n".join(wrong) or f"{len(counts)} texts are in their files")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--places"]:
        return places()
    if sys.argv[1:] == ["--special"]:
        return at_special_values()
    words = sys.argv[1:]
    unknown = set(words) - {word for name in FAULTS for word in (name, name.split(",")[0])}
    if unknown:
        sys.exit(f"planted_faults.py: there is no family {', '.join(sorted(unknown))}")
    return in_families([name for name in FAULTS if not words or name in words or name.split(",")[0] in words])


if __name__ == "__main__":
    sys.exit(main())
