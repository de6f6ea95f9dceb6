/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quantised weights that are laid out for products: where each number goes, by the formula of the format; scales,
 * offsets and biases in any layout; what is absent; and what is refused. Under Ascend950, which has these numbers.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ops/codes.h"
#include "support/effort.h"

enum { SIDE = 70, C0 = 32, ROOM = 4 * SIDE * SIDE };

static void is_copied(struct named_call *call, const char *from, const char *to)
{
    if (!is_named(call, from))
        return;
    for (int64_t i = 0; i < tensor_named(call, from)->count; i++)
        assert_memory_equal(layout_element(tensor_named(call, from), i),
                            layout_element(tensor_named(call, to), i), tensor_named(call, from)->bytes);
}

/* A number of 4 or of 8 bits at a place of the memory. */
static unsigned number_at(const unsigned char *codes, int64_t place, bool is_halved)
{
    return is_halved ? codes[place / 2] >> place % 2 * 4 & 15U : codes[place];
}

static void weights_are_laid_out_as_the_storage_says(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, ACL_FLOAT8_E4M3FN, ACL_INT8};
    (void)state;
    for (int round = 0; round < times_effort(24); round++) {
        const aclDataType dtype = dtypes[round % 4];
        const bool is_halved = round % 4 < 2, is_in_blocks = round % 3 > 0;
        const int64_t k = 1 + random_below(SIDE), n = 2 * (1 + random_below(SIDE / 2)),
                      storage[] = {(n + C0 - 1) / C0, (k + 15) / 16, 16, C0}, shape[] = {k, n},
                      stride[] = {n, 1}, bytes[] = {ROOM};
        struct named_call call = call_begin_named("aclnnWeightQuantPreprocess");
        struct layout from = layout_create(ACL_INT8, 1, bytes, LAYOUT_CONTIGUOUS),
                      to = layout_create(ACL_INT8, 1, bytes, LAYOUT_CONTIGUOUS);
        for (int64_t i = 0; i < ROOM; i++)
            from.memory[i] = (unsigned char)random_bits(), to.memory[i] = 0x5a;
        aclTensor *weight = aclCreateTensor(shape, 2, dtype, stride, 0, ACL_FORMAT_ND, shape, 2,
                                            memory_known_as(from.memory)),
                  *made = aclCreateTensor(
                      shape, 2, dtype, stride, 0, is_in_blocks ? ACL_FORMAT_FRACTAL_NZ_C0_32 : ACL_FORMAT_ND,
                      is_in_blocks ? storage : shape, is_in_blocks ? 4 : 2, memory_known_as(to.memory));
        call.argument[place_named(&call, "weight")].tensor = weight;
        call.argument[place_named(&call, "outWeight")].tensor = made;
        give_number(&call, "xDtype", ACL_FLOAT8_E4M3FN);
        give_number(&call, "xScaleDtype", -1);
        give_codes(&call, "weightScale", ACL_FLOAT8_E8M0, 2, (const int64_t[]){(k + 31) / 32, n});
        give_codes(&call, "outWeightScale", ACL_FLOAT8_E8M0, 2, (const int64_t[]){(k + 31) / 32, n});
        if (round % 2 == 0)
            GIVE(&call, "weightOffset", ACL_BF16, n), GIVE(&call, "outWeightOffset", ACL_BF16, n);
        if (round % 5 < 3)
            GIVE(&call, "bias", ACL_FLOAT, n), GIVE(&call, "outBias", ACL_FLOAT, n);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < k * n; i++) {
            const int64_t row = i / n, column = i % n,
                          place = ((column / C0 * storage[1] + row / 16) * 16 + row % 16) * C0 + column % C0;
            assert_int_equal(number_at(to.memory, is_in_blocks ? place : i, is_halved),
                             number_at(from.memory, i, is_halved));
        }
        is_copied(&call, "weightScale", "outWeightScale");
        is_copied(&call, "weightOffset", "outWeightOffset");
        is_copied(&call, "bias", "outBias");
        assert_int_equal(aclDestroyTensor(weight), 0);
        assert_int_equal(aclDestroyTensor(made), 0);
        layout_destroy(&from), layout_destroy(&to);
        end_named(&call);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnWeightQuantPreprocess");
    GIVE(&call, "weight", ACL_INT8, 4, 3), GIVE(&call, "outWeight", ACL_INT8, 4, 3);
    GIVE(&call, "weightScale", ACL_FLOAT, 3), GIVE(&call, "outWeightScale", ACL_FLOAT, 3);
    GIVE(&call, "bias", ACL_FLOAT, 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR, "outBiasOptional");
    GIVE(&call, "outBias", ACL_FLOAT, 2);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "outBiasOptional has shape [2]");
    GIVE(&call, "outBias", ACL_FLOAT, 3);
    REFUSED(call, "kGroupSize", -1, "kGroupSize is -1; 0 or more is expected");
    give_number(&call, "kGroupSize", 0);
    REFUSED(call, "xDtype", 77, "xDtype is");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_laid_out_as_the_storage_says),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
