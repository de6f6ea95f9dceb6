/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of INT32 as floats: (x + bias) weightScale activateScale with a bias of INT32, x weightScale
 * activateScale + bias with one of floats; in DOUBLE in this order, rounded once.
 */
#include "aclnnop/aclnn_dequant_bias.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 1500 };

#define DEQUANT_BIAS(X, of)                                                                   \
    X(of, IN, x, &dtypes_int32, .sample = "3x4:INT32")                                        \
    X(of, IN, weightScale, &dtypes_fp32_fp16_bf16, .sample = "4")                             \
    X(of, IN, activateScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "3")        \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16_int32, .is_optional = true, .sample = "4") \
    X(of, INT64, outputDtype, .usual = "1")                                                   \
    X(of, OUT, out, &dtypes_fp16_bf16)
SIGNATURE(DEQUANT_BIAS)
#define AT(name) DEQUANT_BIAS_##name

struct dequant {
    uint64_t columns;
    bool is_whole;
};

static aclnnStatus check_row(const struct call *call, unsigned parameter, int64_t count)
{
    const struct tensor_view *row = &call->tensor[parameter];
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    if (row->rank == 1 && row->shape[0] == count)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; [%" PRId64 "] is expected", call_name(call, parameter),
                  shape_text(TEXT, row), count);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[AT(x)];
    const int64_t dtype = call->argument[AT(outputDtype)].int64;
    TRY(check_dtype(call, AT(x)));
    if (x->rank != 2)
        return refuse(call, "x has %u dims; 2 are expected", x->rank);
    TRY(check_row(call, AT(weightScale), x->shape[1]));
    TRY(check_row(call, AT(activateScaleOptional), x->shape[0]));
    TRY(check_row(call, AT(biasOptional), x->shape[1]));
    if (dtype != ACL_FLOAT16 && dtype != ACL_BF16)
        return refuse(call, "outputDtype is %" PRId64 "; 1 or 27, FLOAT16 or BFLOAT16, is expected", dtype);
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result, (aclDataType)dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(x);
    return ACLNN_SUCCESS;
}

static void dequantise_row(const struct task *task, uint64_t row)
{
    const struct dequant *dequant = task->parameters;
    const uint64_t columns = dequant->columns;
    double *x = task->room, *scale = x + columns, *bias = scale + columns;
    const double own =
        task_has(task, AT(activateScaleOptional)) ? task_number(task, AT(activateScaleOptional), row) : 1;
    task_read(task, AT(x), row * columns, columns, x);
    task_read(task, AT(weightScale), 0, columns, scale);
    if (task_has(task, AT(biasOptional)))
        task_read(task, AT(biasOptional), 0, columns, bias);
    for (uint64_t j = 0; j < columns; j++) {
        const double more = task_has(task, AT(biasOptional)) ? bias[j] : 0;
        x[j] = dequant->is_whole ? (x[j] + more) * scale[j] * own : x[j] * scale[j] * own + more;
    }
    task_write(task, AT(out), row * columns, columns, x);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[AT(x)];
    const struct dequant dequant = {.columns = (uint64_t)x->shape[1],
                                    .is_whole = call_has(call, AT(biasOptional)) &&
                                                call->tensor[AT(biasOptional)].dtype == ACL_INT32};
    (void)result;
    if (x->count == 0)
        return call_idle(call);
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = dequantise_row,
                                                      .count = (uint64_t)x->shape[0],
                                                      .task_ns = dequant.columns * ELEMENT_PS / 1000 + 50,
                                                      .room = 3 * dequant.columns,
                                                      .parameters = &dequant,
                                                      .parameter_bytes = sizeof dequant});
}

FUNCTION_OF(aclnnDequantBias, DEQUANT_BIAS, .stem = "dequant_bias", .family = FAMILY_QUANTISE,
            .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan);
