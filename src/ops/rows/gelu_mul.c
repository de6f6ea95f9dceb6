/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu(a) b of rows that have a and b side by side; gelu(a) is a times the normal distribution's share below a, or
 * a / (1 + e^-2u), u = sqrt(2 / pi) (a + 0.044715 a^3), which stands near it. In doubles, rounded once.
 */
#include "aclnnop/aclnn_gelu_mul.h"

#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 8000 };

#define GELU_MUL(X, of)                                                    \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "3x4")              \
    X(of, TEXT, approximateOptional, .is_optional = true, .usual = "none") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(GELU_MUL)

struct gelu_mul {
    uint64_t half;
    bool is_tanh;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *input = &call->tensor[GELU_MUL_input];
    const char *text = call->argument[GELU_MUL_approximateOptional].string;
    TRY(check_dtype(call, GELU_MUL_input));
    TRY(check_rank(call, GELU_MUL_input));
    if (input->rank < 1 || input->shape[input->rank - 1] % 2 != 0)
        return refuse(call, "input has shape %s; an even size of its last dim is expected",
                      shape_text(TEXT, input));
    if (text != NULL && *text != 0 && strcmp(text, "none") != 0 && strcmp(text, "tanh") != 0)
        return refuse(call, "approximate is \"%s\"; none or tanh is expected", text);
    struct shape shape = shape_of(input);
    shape.dim[shape.rank - 1] /= 2;
    result->computed = input->dtype;
    result_reshaped(result, call, GELU_MUL_input, shape);
    return ACLNN_SUCCESS;
}

static void multiply_row(const struct task *task, uint64_t number)
{
    const struct gelu_mul *mul = task->parameters;
    const uint64_t half = mul->half;
    double *x = task->room, *share = x + 2 * half;
    task_read(task, GELU_MUL_input, number * 2 * half, 2 * half, x);
    for (uint64_t i = 0; i < half; i++)
        share[i] = mul->is_tanh ? 1.5957691216057308 * (x[i] + 0.044715 * x[i] * x[i] * x[i])
                                : x[i] * -0.7071067811865476;
    if (mul->is_tanh)
        task->maths->logistic(share, half);
    else
        task->maths->error_complement(share, half);
    for (uint64_t i = 0; i < half; i++) {
        const double part = mul->is_tanh ? share[i] : share[i] / 2;
        share[i] = (part == 0 ? 0 : x[i] * part) * x[half + i]; /* of -inf it is 0 */
    }
    task_write(task, GELU_MUL_out, number * half, half, share);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *input = &call->tensor[GELU_MUL_input];
    const char *text = call->argument[GELU_MUL_approximateOptional].string;
    (void)result;
    if (input->count == 0)
        return call_idle(call);
    const struct gelu_mul mul = {.half = (uint64_t)input->shape[input->rank - 1] / 2,
                                 .is_tanh = text != NULL && strcmp(text, "tanh") == 0};
    return row_tasks_plan(call, &(struct row_tasks_request){.body = multiply_row,
                                                            .count = (uint64_t)input->count / (2 * mul.half),
                                                            .task_ns = mul.half * ELEMENT_PS / 1000 + 50,
                                                            .room = 3 * mul.half,
                                                            .parameters = &mul,
                                                            .parameter_bytes = sizeof mul});
}

FUNCTION_OF(aclnnGeluMul, GELU_MUL, .stem = "gelu_mul", .family = FAMILY_ROWS, .promise = &promise_formula,
            ROW_TASKS, .infer = infer, .plan = plan);
