/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products whose name says that the weight lies in FRACTAL_NZ. A tensor tells its format itself, so that each
 * computes what the function without that name does: the same bits of the same arguments.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/call.h"
#include "ops/layout.h"
#include "ops/losses.h"

/* Tensors of a call on device memory, by parameter; of a list so many behind one another. */
enum { OF_LIST = 4 };
static struct layout layouts[PARAMETERS_MAX][OF_LIST];

static unsigned tensors_of(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_TENSOR_LIST ? sample_length(parameter) : 1;
}

/* As the sample says, or as what comes out; lists come out as the parameter that they are like. */
static const void *made(unsigned place, const struct parameter *parameter, const struct output *output)
{
    const aclTensor *tensors[OF_LIST];
    for (unsigned i = 0; i < tensors_of(parameter); i++) {
        struct tensor_view view;
        aclTensor *sample = sample_tensor(parameter);
        assert_true(tensor_read(sample, &view));
        layouts[place][i] =
            output ? layout_create(output->dtype, output->shape.rank, output->shape.dim, LAYOUT_CONTIGUOUS)
                   : layout_create(view.dtype, view.rank, view.shape, LAYOUT_CONTIGUOUS);
        layout_fill(&layouts[place][i], 2, false);
        tensors[i] = layouts[place][i].tensor;
        assert_int_equal(aclDestroyTensor(sample), 0);
    }
    return parameter->kind == PARAMETER_TENSOR_LIST
               ? (const void *)aclCreateTensorList(tensors, tensors_of(parameter))
               : (const void *)tensors[0];
}

static bool is_given(const struct parameter *parameter)
{
    return parameter_is_tensor(parameter) && !must_be_null(parameter);
}

/* Both names are called with the samples of the first; the other one may have parameters more. */
static void compare(const char *plain_name, const char *other_name)
{
    const struct function *plain_one = find(plain_name), *other = find(other_name);
    union argument argument[PARAMETERS_MAX] = {{0}}, same[PARAMETERS_MAX] = {{0}};
    for (unsigned i = 0; i < plain_one->parameter_count; i++) {
        const struct parameter *parameter = &plain_one->parameter[i];
        if (is_given(parameter) && !parameter_is_output(parameter))
            argument[i].handle = made(i, parameter, NULL);
        else if (!parameter_is_output(parameter))
            argument[i] = sample_argument(parameter);
    }
    struct result result;
    assert_int_equal(function_infer(plain_one, argument, &result), 0);
    for (unsigned i = 0, written = 0; i < plain_one->parameter_count; i++)
        if (parameter_is_output(&plain_one->parameter[i]) && is_given(&plain_one->parameter[i])) {
            const struct output *output = &result.output[written++];
            argument[i].handle = plain_one->parameter[i].kind == PARAMETER_TENSOR_LIST
                                     ? made(i, &plain_one->parameter[output->like], NULL)
                                     : made(i, &plain_one->parameter[i], output);
        }
    for (unsigned i = 0, at = 0; i < other->parameter_count; i++)
        if (at < plain_one->parameter_count &&
            strcmp(other->parameter[i].name, plain_one->parameter[at].name) == 0)
            same[i] = argument[at++];
        else
            same[i] = sample_argument(&other->parameter[i]);
    assert_int_equal(call_function(plain_one, argument), 0);
    unsigned char kept[PARAMETERS_MAX][OF_LIST][256];
    unsigned outputs = 0;
    for (unsigned i = 0; i < plain_one->parameter_count; i++)
        for (unsigned k = 0; is_given(&plain_one->parameter[i]) && k < tensors_of(&plain_one->parameter[i]);
             k++) {
            const struct layout *layout = &layouts[i][k];
            const size_t bytes = (size_t)layout->count * layout->bytes;
            if (!parameter_is_written(&plain_one->parameter[i]))
                continue;
            assert_true(bytes > 0 && bytes <= sizeof kept[i][k]);
            memcpy(kept[i][k], layout->memory, bytes);
            memset(layout->memory, 0x5a, bytes);
            outputs++;
        }
    assert_true(outputs > 0);
    assert_int_equal(call_function(other, same), 0);
    for (unsigned i = 0; i < plain_one->parameter_count; i++) {
        const struct parameter *parameter = &plain_one->parameter[i];
        for (unsigned k = 0; is_given(parameter) && k < tensors_of(parameter); k++) {
            const size_t bytes = (size_t)layouts[i][k].count * layouts[i][k].bytes;
            if (parameter_is_written(parameter))
                assert_memory_equal(layouts[i][k].memory, kept[i][k], bytes);
        }
    }
}

static void the_name_changes_nothing(void **state)
{
    (void)state;
    compare("aclnnMatmul", "aclnnMatmulWeightNz");
    compare("aclnnBatchMatMul", "aclnnBatchMatMulWeightNz");
    compare("aclnnAddmm", "aclnnAddmmWeightNz");
    compare("aclnnWeightQuantBatchMatmulV2", "aclnnWeightQuantBatchMatmulNz");
    compare("aclnnGroupedMatmulV5", "aclnnGroupedMatmulWeightNz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_name_changes_nothing)};
    assert_int_equal(aclInit(NULL) | aclrtSetDevice(0), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
