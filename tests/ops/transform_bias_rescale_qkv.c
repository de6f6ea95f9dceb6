/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * TransformBiasRescaleQkv in any layout, dtype and number of heads against long double; outputs over the
 * input; what is refused; and that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

struct heads {
    int64_t batch, heads, tokens, width;
    struct layout qkv, bias, out[3];
};

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 2, false);
    return layout;
}

static struct heads draw(int round)
{
    static const int64_t widths[] = {1, 2, 5, 8, 64, 1030, 3000};
    const aclDataType dtype = short_dtypes[round % 3];
    const int64_t width = widths[random_below(round % 10 == 0 ? 7 : 5)];
    struct heads of = {.batch = random_below(4),
                       .heads = 1 + random_below(4),
                       .tokens = random_below(7),
                       .width = random_below(20) == 0 ? 0 : width};
    const int64_t length = 3 * of.heads * of.width, qkv[] = {of.batch, of.tokens, length};
    const int64_t out[] = {of.batch, of.heads, of.tokens, of.width};
    of.qkv = made(dtype, 3, qkv, true);
    of.bias = made(dtype, 1, &length, true);
    for (int i = 0; i < 3; i++)
        of.out[i] = made(dtype, 4, out, false);
    return of;
}

static int run(const struct heads *of)
{
    const union argument argument[] = {{.tensor = of->qkv.tensor},     {.tensor = of->bias.tensor},
                                       argument_of_integer(of->heads), {.tensor = of->out[0].tensor},
                                       {.tensor = of->out[1].tensor},  {.tensor = of->out[2].tensor}};
    return call_function(find("aclnnTransformBiasRescaleQkv"), argument);
}

static void forget(struct heads *of)
{
    layout_destroy(&of->qkv);
    layout_destroy(&of->bias);
    for (int i = 0; i < 3; i++)
        layout_destroy(&of->out[i]);
}

static void judge(const struct heads *of, const struct layout *qkv)
{
    for (int part = 0; part < 3; part++)
        for (int64_t i = 0; i < of->out[part].count; i++) {
            const int64_t place = i % of->width, token = i / of->width % of->tokens;
            const int64_t head = i / of->width / of->tokens % of->heads;
            const int64_t batch = i / of->width / of->tokens / of->heads;
            const int64_t column = (part * of->heads + head) * of->width + place;
            const int64_t row = batch * of->tokens + token;
            const long double sum = (long double)element_of(qkv, row * 3 * of->heads * of->width + column) +
                                    (long double)element_of(&of->bias, column);
            assert_near("TransformBiasRescaleQkv", &of->out[part], i,
                        part == 0 ? sum / sqrtl((long double)of->width) : sum, of->out[part].dtype, 0);
        }
}

static void parts_and_heads_are_taken_apart(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct heads of = draw(round);
        assert_int_equal(run(&of), 0);
        judge(&of, &of.qkv);
        forget(&of);
    }
}

/* Each output lies in the qkv that all three are read from. */
static void outputs_may_lie_in_qkv(void **state)
{
    static const int64_t shape[] = {2, 5, 24}, out[] = {2, 4, 5, 2}, length = 24;
    (void)state;
    struct heads of = {.batch = 2, .heads = 4, .tokens = 5, .width = 2};
    struct layout kept = layout_create(ACL_FLOAT, 3, shape, LAYOUT_CONTIGUOUS);
    of.qkv = layout_create(ACL_FLOAT, 3, shape, LAYOUT_CONTIGUOUS);
    of.bias = made(ACL_FLOAT, 1, &length, true);
    layout_fill(&of.qkv, 2, false);
    memcpy(kept.memory, of.qkv.memory, sizeof(float) * 2 * 5 * 24);
    int64_t storage = 2 * 5 * 24;
    const int64_t stride[] = {40, 10, 2, 1};
    for (int i = 0; i < 3; i++) {
        of.out[i] = of.qkv;
        of.out[i].rank = 4;
        of.out[i].count = 80;
        of.out[i].offset = of.qkv.offset + 80 * i;
        memcpy(of.out[i].shape, out, sizeof out);
        memcpy(of.out[i].stride, stride, sizeof stride);
        of.out[i].tensor = aclCreateTensor(out, 4, ACL_FLOAT, stride, of.out[i].offset, ACL_FORMAT_ND,
                                           &storage, 1, memory_known_as(of.qkv.memory));
    }
    assert_int_equal(run(&of), 0);
    judge(&of, &kept);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclDestroyTensor(of.out[i].tensor), 0);
    layout_destroy(&of.qkv);
    layout_destroy(&of.bias);
    layout_destroy(&kept);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnTransformBiasRescaleQkv"));
    attempt.argument[2].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numHeads is 0; 1 or more is expected");
    attempt.argument[2].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "the last size of qkv is 12; a multiple of 3 * numHeads, which is 3, is expected");
    attempt.argument[2].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "qOut has shape [2, 1, 3, 4]; [2, 2, 3, 2]");
    attempt.argument[2].int64 = 1;
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(11), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "qkvBias is expected to have 1 dim of 12 elements");
    replace(&attempt, 1, tensor_with(ACL_FLOAT16, 1, DIMS(12), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "qkvBias has dtype FLOAT16");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(12), NULL));
    assert_accepted(&attempt);
    replace(&attempt, 5, tensor_with(ACL_FLOAT16, 4, DIMS(2, 1, 3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "vOut has dtype FLOAT16");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(3, 12), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "qkv has 2 dims; 3 are expected");
    replace(&attempt, 0, tensor_with(ACL_DOUBLE, 3, DIMS(2, 3, 12), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "qkv has dtype DOUBLE");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 30; round++) {
        struct heads of = draw(round);
        if (run(&of) != 0)
            return 0;
        for (int i = 0; i < 3; i++)
            hash = hash_of(of.out[i].memory, (size_t)(of.out[i].reach + 1) * of.out[i].bytes, hash);
        forget(&of);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_heads_are_taken_apart),
        cmocka_unit_test(outputs_may_lie_in_qkv),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
