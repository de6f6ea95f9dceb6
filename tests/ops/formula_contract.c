/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Refusals that are some functions' own, beside those that tests/ops/check.c tries of all: one argument of a
 * call that is accepted is replaced, and status and words of the sentence are compared.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/attempt.h"

static const struct row {
    const char *name;
    struct {
        enum { SAME, NONE, DTYPE, SHAPE, NUMBER, SCALAR_OF, WORDS } kind;
        int64_t value; /* of a dtype, of the one dim, of an integer, of a scalar in DOUBLE */
    } argument[5];
    const char *words; /* NULL: accepted */
} rows[] = {
    {"aclnnClamp", {{SAME}, {NONE}, {NONE}}, "are NULL; one of them is expected"},
    {"aclnnClamp", {{SAME}, {NONE}, {SAME}}, NULL},
    {"aclnnClampTensor", {{SAME}, {NONE}, {NONE}}, "are NULL; one of them is expected"},
    {"aclnnHardtanh", {{SAME}, {SCALAR_OF, 2}, {SCALAR_OF, 2}}, NULL},
    {"aclnnRsub", {{DTYPE, ACL_INT32}, {DTYPE, ACL_INT32}, {SCALAR_OF, 1}, {DTYPE, ACL_INT32}}, "alpha"},
    {"aclnnAddRelu", {{SAME}, {DTYPE, ACL_BOOL}}, "other has dtype BOOL"},
    {"aclnnAddRelu", {{SAME}, {SAME}, {SAME}, {DTYPE, ACL_INT32}}, "out has dtype INT32"},
    {"aclnnInplaceAddRelu", {{SAME}, {SHAPE, 5}}, "other"},
    {"aclnnMaskedScale", {{SAME}, {DTYPE, ACL_UINT8}}, NULL},
    {"aclnnMaskedScale", {{SAME}, {DTYPE, ACL_INT32}}, "mask has dtype INT32"},
    {"aclnnMaskedScale", {{SAME}, {SHAPE, 5}}, "mask"},
    {"aclnnAddcmul", {{DTYPE, ACL_INT8}, {DTYPE, ACL_INT16}}, "tensor1 has dtype INT16"},
    {"aclnnLerp", {{SAME}, {DTYPE, ACL_FLOAT16}}, "end has dtype FLOAT16"},
    {"aclnnLerp", {{SAME}, {SHAPE, 5}}, "end"},
    {"aclnnPowTensorTensor", {{DTYPE, ACL_BOOL}, {DTYPE, ACL_BOOL}}, "BOOL, in which this is not computed"},
    {"aclnnRemainderTensorTensor", {{DTYPE, ACL_INT8}, {DTYPE, ACL_UINT8}}, "INT16, in which this is not"},
    {"aclnnFmodTensor", {{DTYPE, ACL_INT16}}, "self has dtype INT16"},
    {"aclnnFmodTensor", {{SAME}, {SAME}, {DTYPE, ACL_INT32}}, NULL},
    {"aclnnMaximum", {{SAME}, {SAME}, {DTYPE, ACL_INT32}}, "out has dtype INT32"},
    {"aclnnDivMod", {{SAME}, {SAME}, {NUMBER, 3}}, "mode is 3"},
    {"aclnnDivMod", {{SAME}, {SAME}, {NUMBER, -1}}, "mode is -1"},
    {"aclnnDivMod", {{SAME}, {DTYPE, ACL_COMPLEX64}, {NUMBER, 2}}, "0 is expected"},
    {"aclnnDivMod", {{SAME}, {DTYPE, ACL_COMPLEX64}, {NUMBER, 0}, {DTYPE, ACL_COMPLEX64}}, NULL},
    {"aclnnBitwiseAndTensor", {{DTYPE, ACL_FLOAT}}, "self has dtype FLOAT"},
    {"aclnnBitwiseAndScalar", {{SAME}, {SCALAR_OF, 1}}, "other has dtype DOUBLE"},
    {"aclnnBitwiseOrTensor", {{SAME}, {SAME}, {DTYPE, ACL_BOOL}}, "out has dtype BOOL"},
    {"aclnnBitwiseOrTensor", {{SAME}, {SAME}, {DTYPE, ACL_FLOAT}}, NULL},
    {"aclnnIsClose", {{SAME}, {DTYPE, ACL_FLOAT16}}, "other has dtype FLOAT16"},
    {"aclnnEqual", {{SAME}, {SHAPE, 7}}, NULL},
    {"aclnnEqual", {{SAME}, {DTYPE, ACL_UINT16}}, "does not promote"},
    {"aclnnSWhere", {{DTYPE, ACL_FLOAT}, {DTYPE, ACL_INT32}, {DTYPE, ACL_INT32}}, "BOOL is expected"},
    {"aclnnSWhere", {{DTYPE, ACL_FLOAT16}}, NULL},
    {"aclnnInplaceMaskedFillScalar", {{SAME}, {DTYPE, ACL_FLOAT}}, "mask has dtype FLOAT"},
    {"aclnnInplaceMaskedFillScalar", {{SHAPE, 1}}, "selfRef"},
    {"aclnnInplaceMaskedFillTensor", {{SAME}, {SAME}, {SHAPE, 2}}, "value has 2 elements"},
    {"aclnnLogAddExp", {{SAME}, {SAME}, {DTYPE, ACL_DOUBLE}}, "out has dtype DOUBLE"},
    {"aclnnGeluBackwardV2", {{SAME}, {SAME}, {WORDS}}, "\"none\" or \"tanh\" is expected"},
    {"aclnnGlu", {{SAME}, {NUMBER, 2}}, "dim is 2"},
    {"aclnnGlu", {{SHAPE, 3}}, "an even one is expected"},
    {"aclnnGeGlu", {{SAME}, {SAME}, {NUMBER, 2}}, "approximate is 2"},
    {"aclnnSwiGluGrad", {{SHAPE, 2}}, "another shape than half of x"},
    {"aclnnPrelu", {{SAME}, {SHAPE, 2}}, "weight has 2 elements; 1 or 3"},
    {"aclnnPrelu", {{SAME}, {SHAPE, 3}}, NULL},
    {"aclnnPreluBackward", {{SHAPE, 2}}, "does not broadcast"},
    {"aclnnAmpUpdateScale", {{SHAPE, 2}}, "currentScale has 2 elements"},
    {"aclnnForeachNonFiniteCheckAndUnscale", {{SAME}, {SAME}, {SHAPE, 2}}, "invScale has 2 elements"},
};

static void spoil(struct attempt *attempt, unsigned index, const struct row *row)
{
    const struct parameter *parameter = &attempt->function->parameter[index];
    const int64_t value = row->argument[index].value;
    double number = (double)value;
    switch (row->argument[index].kind) {
    case NONE:
        release_argument(parameter, attempt->argument[index]);
        attempt->argument[index].handle = NULL;
        break;
    case DTYPE:
        replace_dtype(attempt, index, (aclDataType)value);
        break;
    case SHAPE:
        replace(attempt, index, tensor_with(sample_dtype(parameter), 1, DIMS(value), NULL));
        break;
    case NUMBER:
        attempt->argument[index].int64 = value;
        break;
    case SCALAR_OF:
        release_argument(parameter, attempt->argument[index]);
        attempt->argument[index].scalar = aclCreateScalar(&number, ACL_DOUBLE);
        break;
    case WORDS:
        attempt->argument[index].string = "erf";
        break;
    case SAME:
        break;
    }
}

static void refusals_have_their_status_and_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct attempt attempt = accepted(find(rows[i].name));
        uint64_t bytes;
        aclOpExecutor *executor;
        for (unsigned k = 0; k < 5; k++)
            spoil(&attempt, k, &rows[i]);
        const bool is_null = rows[i].words != NULL && strstr(rows[i].words, "are NULL") != NULL;
        (void)aclGetRecentErrMsg();
        const aclnnStatus status = function_plan_anew(attempt.function, attempt.argument, &bytes, &executor);
        const char *sentence = aclGetRecentErrMsg();
        if (rows[i].words == NULL ? status != 0
                                  : status != (is_null ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID) ||
                                        sentence == NULL || strstr(sentence, rows[i].words) == NULL)
            fail_msg("row %zu, %s: %d: %s", i, rows[i].name, (int)status, sentence);
        if (status == 0)
            assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
        release(&attempt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals_have_their_status_and_sentence)};
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
