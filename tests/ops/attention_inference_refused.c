/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of attention for inference that are refused, with their sentences: attributes, layouts, shapes, lengths, pages
 * and scales. Results are in attention_inference.c.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/attempt.h"
#include "ops/inference_drawn.h"

static void refuse_value_of(const char *api, const char *name, union argument value, const char *sentence)
{
    struct attempt attempt = accepted(find(api));
    for (unsigned i = 0; i < attempt.function->parameter_count; i++)
        if (strcmp(attempt.function->parameter[i].name, name) == 0) {
            const union argument before = attempt.argument[i];
            attempt.argument[i] = value;
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
            attempt.argument[i] = before;
        }
    release(&attempt);
}

static void refuse_value(const char *name, union argument value, const char *sentence)
{
    refuse_value_of(FUSED, name, value, sentence);
}

static void refuse_tensor(const char *name, aclTensor *tensor, const char *sentence)
{
    refuse_value(name, argument_of_pointer(tensor), sentence);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void refuse_ints(const char *name, const aclIntArray *ints, const char *sentence)
{
    refuse_value(name, argument_of_pointer(ints), sentence);
    assert_int_equal(aclDestroyIntArray(ints), 0);
}

/* Of packed rows and keys in pages. */
static void refuse_case(struct inference_case of, const char *sentence)
{
    struct drawn drawn = draw(&of);
    const struct function *function = find(of.api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    for (unsigned i = 0; i < function->parameter_count; i++)
        argument[i] = argument_named(&drawn, &function->parameter[i]);
    assert_failure(function_plan_anew(function, argument, &bytes, &executor), ACLNN_ERR_PARAM_INVALID,
                   sentence);
    release_drawn(&drawn);
}

static void wrong_pages_of_packed_rows_are_refused(void **state)
{
    struct inference_case of = {"aclnnFusedInferAttentionScoreV3", "TND", F32, 1, 2, 1, 7, 20, 8, 8, FAR};
    (void)state;
    of.row_lengths = of.key_lengths = 2;
    memcpy(of.row_length, DIMS(2, 7), 2 * sizeof(int64_t));
    memcpy(of.key_length, DIMS(9, 18), 2 * sizeof(int64_t));
    of.page = 4;
    struct inference_case wrong = of;
    wrong.key_length[0] = 21;
    refuse_case(wrong, "actualSeqLengthsKvOptional has 21 for sequence 0; up to 20 keys");
    wrong = of;
    wrong.key_lengths = 1;
    refuse_case(wrong, "actualSeqLengths and actualSeqLengthsKv have 2 and 1 numbers");
    wrong = of;
    wrong.row_length[1] = 8;
    refuse_case(wrong, "actualSeqLengthsOptional has 8 behind 2; ends up to 7");
    wrong = of;
    wrong.api = "aclnnFusedInferAttentionScoreV4";
    wrong.has_sink = true;
    wrong.key_length[1] = -1;
    refuse_case(wrong, "actualSeqLengthsKvOptional has -1 for sequence 1");
}

static void wrong_scales_of_keys_in_int8_are_refused(void **state)
{
    const struct inference_case of = {
        "aclnnFusedInferAttentionScoreV3", "BNSD", F32, 1, 2, 1, 2, 4, 8, 8, FAR, .has_int8_keys = true};
    struct drawn drawn = draw(&of);
    const struct function *function = find(of.api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    const struct {
        const char *name;
        union argument value;
        const char *sentence;
    } wrong[] = {
        {"keyAntiquantScaleOptional", argument_of_pointer(NULL),
         "keyAntiquantScaleOptional is absent and keys are"},
        {"valueAntiquantScaleOptional", argument_of_pointer(drawn.query.tensor),
         "valueAntiquantScaleOptional has shape [1, 2, 2, 8]; 1 heads of 8 elements are expected"},
        {"valueAntiquantMode", argument_of_integer(1),
         "valueAntiquantMode is 1; 0, a scale for each element"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        for (unsigned i = 0; i < function->parameter_count; i++)
            argument[i] = strcmp(function->parameter[i].name, wrong[k].name) == 0
                              ? wrong[k].value
                              : argument_named(&drawn, &function->parameter[i]);
        assert_failure(function_plan_anew(function, argument, &bytes, &executor), ACLNN_ERR_PARAM_INVALID,
                       wrong[k].sentence);
    }
    release_drawn(&drawn);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    refuse_value_of("aclnnFusedInferAttentionScoreV5", "pseType", argument_of_integer(1),
                    "pseType is 1; 0 is expected");
    refuse_value(
        "inputLayout", argument_of_pointer("BS"),
        "inputLayout is \"BS\"; BSH, SBH, BNSD, BSND, TND, NTD, NSD, BNSD_BSND, NTD_TND, TND_NTD, or "
        "BSH, BSND or BNSD with _BNSD or _NBSD is expected");
    refuse_value_of("aclnnPromptFlashAttention", "inputLayout", argument_of_pointer("BNSD_NBSD"),
                    "inputLayout is \"BNSD_NBSD\"; BSH, SBH, BNSD, BSND");
    refuse_value("inputLayout", argument_of_pointer("BSH"), "query has shape");
    refuse_value("numHeads", argument_of_integer(3), "numHeads is 3");
    refuse_value("numKeyValueHeads", argument_of_integer(3), "numKeyValueHeads is 3");
    refuse_value("numKeyValueHeads", argument_of_integer(1), "key has shape");
    refuse_value("sparseMode", argument_of_integer(5), "sparseMode is 5");
    refuse_value("sparseMode", argument_of_integer(-1), "sparseMode is -1");
    refuse_tensor("query", tensor_with(F32, 4, DIMS(3, 2, 3, 4), NULL), "key and value have 2 and 2 tensors");
    refuse_tensor("query", tensor_with(F16, 4, DIMS(2, 2, 3, 4), NULL), "key has dtype FLOAT");
    refuse_tensor("pseShiftOptional", tensor_with(F32, 4, DIMS(1, 2, 3, 2), NULL), "pseShiftOptional has");
    refuse_tensor("attenMaskOptional", tensor_with(ACL_BOOL, 2, DIMS(2, 5), NULL), "attenMaskOptional has");
    refuse_tensor("deqScale1Optional", tensor_with(F32, 1, DIMS(1), NULL), "deqScale1Optional was given");
    refuse_tensor("blockTableOptional", tensor_with(ACL_INT32, 2, DIMS(2, 1), NULL), "blockTable has");
    refuse_tensor("attentionOut", tensor_with(F32, 4, DIMS(2, 3, 2, 4), NULL), "attentionOut has shape");
    refuse_tensor("softmaxLse", tensor_with(F32, 4, DIMS(2, 2, 3, 8), NULL), "softmaxLse has shape");
    refuse_ints("actualSeqLengthsKvOptional", aclCreateIntArray(DIMS(5, 6), 2), "batch 1 has");
    refuse_ints("actualSeqLengthsOptional", aclCreateIntArray(DIMS(-1), 1), "batch 0 has");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(wrong_scales_of_keys_in_int8_are_refused),
        cmocka_unit_test(wrong_pages_of_packed_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
