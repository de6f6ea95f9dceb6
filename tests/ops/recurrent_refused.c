/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of LSTM and GRU that are refused, with their sentences. Results are in recurrent.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/check.h"

#include <cmocka.h>

#include "ops/attempt.h"
#include "support/open_stream.h"

static void replace_list(struct attempt *attempt, unsigned parameter, aclTensorList *list)
{
    assert_int_equal(aclDestroyTensorList(attempt->argument[parameter].tensors), 0);
    attempt->argument[parameter].tensors = list;
}

static aclTensorList *list_with(uint64_t count, aclDataType dtype, unsigned rank, const int64_t *shape)
{
    const aclTensor *tensor[8];
    for (uint64_t i = 0; i < count; i++)
        tensor[i] = tensor_with(dtype, rank, shape, NULL);
    return aclCreateTensorList(tensor, count);
}

/* The samples have 3 steps of 2 sequences, one layer, 2 inputs and 2 hidden elements. */
static void calls_that_do_not_fit_are_refused(void **state)
{
    enum {
        INPUT,
        PARAMS,
        HX,
        BATCH_SIZES,
        HAS_BIAS,
        LAYERS,
        TRAIN = 7,
        BIDIRECTIONAL,
        OUTPUT = 10,
        LIST = 13
    };
    (void)state;
    struct attempt attempt = accepted(find("aclnnLSTM"));
    attempt.argument[HAS_BIAS] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "params has 2 tensors; 4 are expected");
    attempt.argument[HAS_BIAS] = argument_of_bool(false);
    attempt.argument[LAYERS] = argument_of_integer(0);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numLayers is 0");
    attempt.argument[LAYERS] = argument_of_integer(INT64_MAX);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numLayers is");
    attempt.argument[LAYERS] = argument_of_integer(1);
    attempt.argument[BIDIRECTIONAL] = argument_of_bool(true);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "params has 2 tensors; 4 are expected");
    attempt.argument[BIDIRECTIONAL] = argument_of_bool(false);
    replace_list(&attempt, HX, list_with(1, ACL_FLOAT, 3, DIMS(1, 2, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hx has 1 tensors; 2 are expected");
    replace_list(&attempt, HX, list_with(2, ACL_FLOAT, 3, DIMS(1, 3, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hx has shape [1, 3, 2]; [1, 2, 2]");
    replace_list(&attempt, HX, list_with(2, ACL_FLOAT16, 3, DIMS(1, 2, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hx has dtype FLOAT16; FLOAT");
    replace_list(&attempt, HX, list_with(0, ACL_FLOAT, 3, DIMS(1, 2, 2)));
    assert_accepted(&attempt);
    replace_list(&attempt, PARAMS, list_with(2, ACL_FLOAT, 2, DIMS(8, 3)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "params has shape [8, 3]; [12, 2]");
    replace_list(&attempt, PARAMS, list_with(2, ACL_FLOAT, 2, DIMS(8, 2)));
    replace(&attempt, INPUT, tensor_with(ACL_FLOAT, 2, DIMS(6, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input has 2 dims; 3 are expected");
    attempt.argument[BATCH_SIZES].tensor = tensor_with(ACL_INT64, 1, DIMS(3), NULL);
    assert_accepted(&attempt);
    replace(&attempt, BATCH_SIZES, tensor_with(ACL_INT64, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input has shape [6, 2]; a multiple of 4 rows");
    replace(&attempt, BATCH_SIZES, tensor_with(ACL_INT32, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "batchSizes has dtype INT32");
    replace(&attempt, BATCH_SIZES, tensor_with(ACL_INT64, 1, DIMS(0), NULL));
    replace(&attempt, INPUT, tensor_with(ACL_FLOAT, 3, DIMS(3, 2, 2), NULL));
    assert_accepted(&attempt);
    attempt.argument[TRAIN] = argument_of_bool(true);
    assert_accepted(&attempt);
    replace_list(&attempt, LIST + 4, list_with(2, ACL_FLOAT, 3, DIMS(3, 2, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hOut has 2 tensors; 1 are expected");
    replace_list(&attempt, LIST + 4, list_with(1, ACL_FLOAT, 3, DIMS(2, 3, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "hOut has shape [2, 3, 2]");
    replace_list(&attempt, LIST + 4, list_with(1, ACL_FLOAT16, 3, DIMS(3, 2, 2)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 0 of hOut has dtype FLOAT16");
    replace_list(&attempt, LIST + 4, NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "hOut is NULL");
    attempt.argument[TRAIN] = argument_of_bool(false);
    replace_list(&attempt, LIST, list_with(3, ACL_FLOAT, 0, DIMS(0)));
    assert_accepted(&attempt);
    replace(&attempt, OUTPUT, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "output has shape [2, 3, 2]; [3, 2, 2]");
    release(&attempt);

    attempt = accepted(find("aclnnGRU"));
    attempt.argument[BATCH_SIZES].tensor = tensor_with(ACL_INT64, 1, DIMS(3), NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "batchSizes is given");
    release(&attempt);
    attempt = accepted(find("aclnnGRUBackward"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 3, DIMS(3, 2, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dy has shape [3, 2, 4]; [3, 2, 2]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_that_do_not_fit_are_refused)};
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
