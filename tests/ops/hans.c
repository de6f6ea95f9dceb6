/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors taken apart by HansEncode and put together by HansDecode, bit for bit, in any layout; how often each high byte
 * is there; and CIoU against plain loops. What is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rounds.h"

enum { INVALID = ACLNN_ERR_PARAM_INVALID, COUNT = 32768 };

static void together_again(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    const int64_t bytes = dtype == ACL_FLOAT ? 4 : 2, inside = 64 * random_below(400);
    struct named_call call = call_begin_named("aclnnHansEncode"), back = call_begin_named("aclnnHansDecode");
    const struct layout *x = GIVE(&call, "input", dtype, 32, COUNT / 32),
                        *pdf = GIVE(&call, "pdf", ACL_INT32, 1, 256),
                        *mantissa = GIVE(&call, "mantissa", dtype, COUNT / bytes * (bytes - 1)),
                        *fixed = GIVE(&call, "fixed", dtype, (512 + inside) / bytes),
                        *var = GIVE(&call, "var", dtype, (COUNT - inside + 640) / bytes);
    const bool counts = random_below(2) == 0;
    int64_t count[256] = {0}, before = 7;
    set_whole(pdf, 5, before);
    for (int64_t i = 0; i < COUNT; i++)
        count[layout_element(x, i)[bytes - 1]]++;
    give_number(&call, "statistic", counts);
    assert_int_equal(run_named(&call), 0);
    for (int64_t i = 0; counts && i < 256; i++)
        assert_int_equal(whole_of(pdf, i), count[i]);
    assert_true(counts || whole_of(pdf, 5) == before);
    const struct layout *out = GIVE(&back, "out", dtype, COUNT);
    back.argument[place_named(&back, "mantissa")].tensor = mantissa->tensor;
    back.argument[place_named(&back, "fixed")].tensor = fixed->tensor;
    back.argument[place_named(&back, "var")].tensor = var->tensor;
    back.argument[place_named(&back, "pdf")].tensor = pdf->tensor;
    assert_int_equal(run_named(&back), 0);
    for (int64_t i = 0; i < COUNT; i++)
        assert_memory_equal(layout_element(out, i), layout_element(x, i), (size_t)bytes);
    finish_named(&back);
    end_named(&call);
}

static long double side(const struct layout *boxes, int64_t i, int k, bool has_centres, bool is_end)
{
    const int64_t count = boxes->shape[1];
    const long double first = (long double)element_of(boxes, k * count + i),
                      second = (long double)element_of(boxes, (k + 2) * count + i);
    return !has_centres ? is_end ? second : first : first + (is_end ? second : -second) / 2;
}

static void overlaps(void)
{
    struct named_call call = call_begin_named("aclnnCIoU");
    const bool has_centres = random_below(2) == 0, is_cross = random_below(2) == 0,
               is_of_second = random_below(2) == 0;
    const int64_t boxes = 1 + random_below(90), others = is_cross ? 1 + random_below(5) : boxes;
    const struct layout *a = GIVE(&call, "bBoxes", ACL_FLOAT, 4, boxes),
                        *b = GIVE(&call, "gtBoxes", ACL_FLOAT, 4, others),
                        *found = GIVE(&call, "overlap", ACL_FLOAT, is_cross ? others : 1, boxes),
                        *angles = GIVE(&call, "atanSub", ACL_FLOAT, is_cross ? others : 1, boxes);
    for (int k = 0; k < 2; k++) {
        const struct layout *of = k == 0 ? a : b;
        for (int64_t i = 0; i < of->count; i++)
            set_element(of, i, (double)(random_below(20) + (i >= of->count / 2 ? has_centres ? 1 : 21 : 0)));
    }
    call.argument[place_named(&call, "mode")].string = is_of_second           ? "iof"
                                                       : random_below(2) == 0 ? "iou"
                                                                              : NULL;
    give_number(&call, "trans", has_centres);
    give_number(&call, "isCross", is_cross);
    assert_int_equal(run_named(&call), 0);
    for (int64_t at = 0; at < found->count; at++) {
        const int64_t i = at % boxes, j = is_cross ? at / boxes : i;
        long double common = 1, apart = 0, hull = 0, area[2] = {1, 1}, size[2][2];
        for (int k = 0; k < 2; k++) {
            const long double begin[] = {side(a, i, k, has_centres, false),
                                         side(b, j, k, has_centres, false)},
                              end[] = {side(a, i, k, has_centres, true), side(b, j, k, has_centres, true)};
            for (int n = 0; n < 2; n++)
                area[n] *= size[n][k] = end[n] - begin[n];
            common *= fmaxl(0, fminl(end[0], end[1]) - fmaxl(begin[0], begin[1]));
            apart += powl((begin[0] + end[0] - begin[1] - end[1]) / 2, 2);
            hull += powl(fmaxl(end[0], end[1]) - fminl(begin[0], begin[1]), 2);
        }
        const long double iou = common / (is_of_second ? area[1] : area[0] + area[1] - common),
                          angle = atanl(size[1][0] / size[1][1]) - atanl(size[0][0] / size[0][1]),
                          v = 4 / powl(acosl(-1), 2) * angle * angle,
                          alpha = 1 - iou + v == 0 ? 0 : v / (1 - iou + v);
        assert_true(fabsl((long double)element_of(angles, at) - angle) <= 1e-7L);
        if (!(fabsl((long double)element_of(found, at) - (iou - apart / hull - alpha * v)) <= 3e-7L))
            fail_msg("overlap %d is %.9g; %.9Lg is expected", (int)at, element_of(found, at),
                     iou - apart / hull - alpha * v);
    }
    finish_named(&call);
}

static void results_are_those_of_loops(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(4); i++) {
        together_again();
        for (int k = 0; k < 10; k++)
            overlaps();
    }
}

static uint64_t everything(void)
{
    static void (*const rounds[])(void) = {together_again, overlaps, NULL};
    return hash_of_rounds(rounds);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnHansEncode");
    GIVE(&call, "input", ACL_FLOAT16, COUNT);
    GIVE(&call, "pdf", ACL_INT32, 256);
    GIVE(&call, "mantissa", ACL_FLOAT16, COUNT / 2);
    GIVE(&call, "fixed", ACL_FLOAT16, 255);
    GIVE(&call, "var", ACL_FLOAT16, COUNT);
    assert_named_refused(&call, INVALID, "fixed has 510 bytes; 512 or more are expected");
    end_named(&call);
    call = call_begin_named("aclnnHansEncode");
    GIVE(&call, "input", ACL_FLOAT16, COUNT - 32);
    GIVE(&call, "pdf", ACL_INT32, 256);
    GIVE(&call, "mantissa", ACL_FLOAT16, COUNT / 2);
    GIVE(&call, "fixed", ACL_FLOAT16, 256);
    GIVE(&call, "var", ACL_FLOAT16, COUNT);
    assert_named_refused(&call, INVALID, "input has 32736 elements; a multiple of 64 is expected");
    end_named(&call);
    call = call_begin_named("aclnnCIoU");
    GIVE(&call, "bBoxes", ACL_FLOAT, 4, 3);
    GIVE(&call, "gtBoxes", ACL_FLOAT, 4, 3);
    GIVE(&call, "overlap", ACL_FLOAT, 3, 3);
    GIVE(&call, "atanSub", ACL_FLOAT, 3, 3);
    call.argument[place_named(&call, "mode")].string = "giou";
    assert_named_refused(&call, INVALID, "mode is \"giou\"; iou or iof is expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
