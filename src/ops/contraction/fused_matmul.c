/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of floats of which something is made before they are rounded: y = op(x1 @ x2 + bias), or with x3.
 * Sums are those of aclnnMatmul, in FLOAT; what follows is in DOUBLE.
 */
#include "aclnnop/aclnn_fused_matmul.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/activation.h"
#include "ops/contraction/contraction.h"
#include "ops/contraction/product.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"
#include "tensor/scratch.h"

enum { ROWS_AT_ONCE = 64, BATCH_DIMS = 6 };

#define FUSED_MATMUL(X, of)                                                             \
    X(of, IN, x1, &dtypes_fp32_fp16_bf16, .sample = "3x4")                              \
    X(of, IN, x2, &dtypes_fp32_fp16_bf16, .sample = "4x5")                              \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "5") \
    X(of, IN, x3Optional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "")    \
    X(of, CONST_TEXT, fusedOpType, .usual = "relu")                                     \
    CUBE_MATH_TYPE(X, of)                                                               \
    X(of, OUT, y, &dtypes_fp32_fp16_bf16)
SIGNATURE(FUSED_MATMUL)
enum {
    X1 = FUSED_MATMUL_x1,
    X2 = FUSED_MATMUL_x2,
    BIAS = FUSED_MATMUL_biasOptional,
    X3 = FUSED_MATMUL_x3Optional,
    TYPE = FUSED_MATMUL_fusedOpType,
    Y = FUSED_MATMUL_y,
};

enum fused_operation { NOTHING, RELU, ADDS, MULTIPLIES, GELU_ERF, GELU_TANH, TO_FLOAT, OPERATIONS };
static const char *const names[OPERATIONS] = {"", "relu", "add", "mul", "gelu_erf", "gelu_tanh", "16cast32"};

static enum fused_operation operation_of(const struct call *call)
{
    const char *name = call->argument[TYPE].string;
    unsigned i = 0;
    while (i < OPERATIONS && strcmp(name, names[i]) != 0)
        i++;
    return (enum fused_operation)i;
}

static bool find_shape(const struct call *call, struct shape *shape)
{
    struct shape left = shape_of(&call->tensor[X1]), right = shape_of(&call->tensor[X2]);
    const int64_t rows = left.dim[left.rank - 2], columns = right.dim[right.rank - 1];
    left.rank -= 2, right.rank -= 2;
    if (!broadcast(&left, &right, shape))
        return false;
    shape->dim[shape->rank] = rows, shape->dim[shape->rank + 1] = columns;
    shape->rank += 2;
    return true;
}

static aclnnStatus check_others(const struct call *call, const struct shape *shape,
                                enum fused_operation operation)
{
    const bool takes_x3 = operation == ADDS || operation == MULTIPLIES;
    const struct tensor_view *x3 = &call->tensor[X3], *bias = &call->tensor[BIAS];
    const int64_t columns = shape->dim[shape->rank - 1];
    if (call_has_elements(call, BIAS) &&
        (bias->rank < 1 || bias->shape[bias->rank - 1] != columns || bias->count != columns))
        return refuse(call, "biasOptional has shape %s; [%" PRId64 "] is expected", shape_text(TEXT, bias),
                      columns);
    if (takes_x3 != call_has_elements(call, X3))
        return refuse(call,
                      "fusedOpType is \"%s\" and x3Optional is %s; x3Optional goes with \"add\" and \"mul\"",
                      names[operation], takes_x3 ? "NULL" : "given");
    if (!takes_x3)
        return ACLNN_SUCCESS;
    TRY(check_same_dtype(call, X3, X1, NULL));
    for (uint32_t i = 0; i < x3->rank && x3->rank <= shape->rank; i++) {
        const uint32_t at = shape->rank - x3->rank + i;
        const bool may_be_one = at + 2 < shape->rank && x3->shape[i] == 1;
        if (x3->shape[i] != shape->dim[at] && !may_be_one)
            return refuse(call, "x3Optional has shape %s; that of y, or without its batch, is expected",
                          shape_text(TEXT, x3));
    }
    return x3->rank >= 2 && x3->rank <= shape->rank
               ? ACLNN_SUCCESS
               : refuse(call, "x3Optional has %u dims; 2 to %u are expected", x3->rank, shape->rank);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x1 = &call->tensor[X1], *x2 = &call->tensor[X2];
    const enum fused_operation operation = operation_of(call);
    struct shape shape;
    for (unsigned i = X1; i <= X3; i++)
        if (i <= X2 || call_has_elements(call, i))
            TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, X2, X1, NULL));
    for (unsigned i = X1; i <= X2; i++)
        if (call->tensor[i].rank < 2 || call->tensor[i].rank > BATCH_DIMS)
            return refuse(call, "%s has %u dims; 2 to 6 are expected", call_name(call, i),
                          call->tensor[i].rank);
    if (operation == OPERATIONS)
        return refuse(
            call,
            "fusedOpType is \"%.40s\"; \"\", \"relu\", \"add\", \"mul\", \"gelu_erf\", \"gelu_tanh\" or "
            "\"16cast32\" is expected",
            call->argument[TYPE].string);
    if (operation == TO_FLOAT && x1->dtype == ACL_FLOAT)
        return refuse(call, "x1 is FLOAT; FLOAT16 or BFLOAT16 is expected beside \"16cast32\"");
    if (x1->shape[x1->rank - 1] != x2->shape[x2->rank - 2] || !find_shape(call, &shape))
        return refuse(call, "the shapes of x1, %s, and x2, %s, do not fit", shape_text(TEXT, x1),
                      shape_text(TEXT, x2));
    TRY(check_others(call, &shape, operation));
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result, operation == TO_FLOAT ? ACL_FLOAT : x1->dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return check_element_count(call, &output->shape);
}

struct fused_plan {
    struct contraction product;
    struct target y;
    enum fused_operation operation;
    enum isa_level isa;
    uint32_t threads, rank;
    uint64_t batches, rows, work_bytes;
    struct target x3; /* of which only the places count */
    int64_t dim[BATCH_DIMS], left[BATCH_DIMS], right[BATCH_DIMS], other[BATCH_DIMS], to[BATCH_DIMS];
};
enum { LEFT, RIGHT, SELF, OUT, OPERANDS };

static struct contraction_matrix matrix_of(const struct tensor_view *view, uint32_t address, bool is_turned)
{
    const uint32_t last = view->rank - 1;
    return (struct contraction_matrix){
        .dtype = view->dtype,
        .bytes = dtype_bytes(view->dtype),
        .address = address,
        .stride = {view->stride[last - !is_turned], view->stride[last - is_turned]}};
}

static int64_t batch_stride(const struct tensor_view *view, const struct shape *shape, uint32_t dim)
{
    const uint32_t missing = shape->rank - view->rank;
    return dim < missing || view->shape[dim - missing] == 1 ? 0 : view->stride[dim - missing];
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const enum activation activations[OPERATIONS] = {
        [RELU] = ACTIVATION_RELU, [GELU_ERF] = ACTIVATION_GELU_ERF, [GELU_TANH] = ACTIVATION_GELU_TANH};
    const struct tensor_view *x1 = &call->tensor[X1], *x2 = &call->tensor[X2], *y = &call->tensor[Y];
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const struct shape *shape = &result->output[0].shape;
    struct executor_content *content;
    void *made;
    if (y->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct fused_plan), &content, &made));
    struct fused_plan *plan = made;
    *plan = (struct fused_plan){
        .product = {.rows = (uint64_t)x1->shape[x1->rank - 2],
                    .columns = (uint64_t)x2->shape[x2->rank - 1],
                    .depth = (uint64_t)x1->shape[x1->rank - 1],
                    .left = matrix_of(x1, LEFT, false),
                    .right = matrix_of(x2, RIGHT, true),
                    .alpha = 1,
                    .beta = 1,
                    .has_self = call_has_elements(call, BIAS),
                    .is_exact = call->settings->accuracy == ACCURACY_EXACT},
        .y = target_of(transfer, call->settings->isa, y, call->first_operand[Y]),
        .operation = operation_of(call),
        .isa = call->settings->isa,
        .threads = call->settings->thread_count,
        .rank = shape->rank - 2,
        .batches = 1,
    };
    plan->rows = plan->product.rows;
    plan->y.activation = activations[plan->operation];
    plan->product.out = (struct contraction_matrix){.dtype = ACL_FLOAT,
                                                    .bytes = sizeof(float),
                                                    .address = OUT,
                                                    .stride = {(int64_t)plan->product.columns, 1}};
    if (plan->product.has_self) {
        const struct tensor_view *bias = &call->tensor[BIAS];
        plan->product.self = (struct contraction_matrix){.dtype = bias->dtype,
                                                         .bytes = dtype_bytes(bias->dtype),
                                                         .address = SELF,
                                                         .stride = {0, bias->stride[bias->rank - 1]}};
    }
    if (call_has_elements(call, X3))
        plan->x3 = target_of(transfer, plan->isa, &call->tensor[X3], call->first_operand[X3]);
    for (uint32_t i = 0; i < plan->rank; i++) {
        plan->dim[i] = shape->dim[i];
        plan->batches *= (uint64_t)shape->dim[i];
        plan->left[i] = batch_stride(x1, shape, i) * (int64_t)plan->product.left.bytes;
        plan->right[i] = batch_stride(x2, shape, i) * (int64_t)plan->product.right.bytes;
        plan->other[i] = call_has_elements(call, X3) ? batch_stride(&call->tensor[X3], shape, i) : 0;
        plan->to[i] = y->stride[i];
    }
    plan->work_bytes = contraction_most_bytes(plan->isa, plan->threads, plan->product.depth);
    content->cost_ns =
        plan->batches * plan->rows * plan->product.columns * (plan->product.depth + 8) / 64 + 1000;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *prepared)
{
    const struct fused_plan *plan = prepared;
    const size_t count = ROWS_AT_ONCE * (size_t)plan->product.columns;
    return whole_lines(plan->work_bytes) + whole_lines(count * sizeof(float)) +
           2 * whole_lines(count * sizeof(double));
}

/* Rows of x3, onto values. */
static void meet_x3(const struct fused_plan *plan, void *const *address, uint64_t row, uint64_t rows,
                    double *value, double *room)
{
    const struct target *x3 = &plan->x3;
    for (uint64_t i = 0; i < rows; i++, value += x3->columns) {
        const struct factors line = {.is_given = true,
                                     .dtype = x3->dtype,
                                     .bytes = x3->bytes,
                                     .address = x3->address,
                                     .first = x3->first + (int64_t)(row + i) * x3->stride[0],
                                     .stride = {0, x3->stride[1]},
                                     .lanes = 1};
        factors_read(&line, x3->transfer, address, 0, 0, x3->columns, room);
        for (uint64_t j = 0; j < x3->columns; j++)
            value[j] = plan->operation == ADDS ? value[j] + room[j] : value[j] * room[j];
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct fused_plan *base = prepared;
    const uint64_t columns = base->product.columns;
    unsigned char *memory = (unsigned char *)scratch + whole_lines(base->work_bytes);
    float *sums = (float *)(void *)memory;
    double *value = (double *)(void *)(memory + whole_lines(ROWS_AT_ONCE * columns * sizeof(float)));
    double *room =
        (double *)(void *)((unsigned char *)value + whole_lines(ROWS_AT_ONCE * columns * sizeof(double)));
    for (uint64_t batch = 0; batch < base->batches; batch++) {
        struct fused_plan plan = *base;
        int64_t left = 0, right = 0;
        uint64_t rest = batch;
        for (uint32_t i = plan.rank; i-- > 0; rest /= (uint64_t)plan.dim[i]) {
            const int64_t at = (int64_t)(rest % (uint64_t)plan.dim[i]);
            left += at * plan.left[i], right += at * plan.right[i];
            plan.x3.first += at * plan.other[i], plan.y.first += at * plan.to[i];
        }
        for (uint64_t row = 0, some; row < plan.rows; row += some) {
            some = plan.rows - row < ROWS_AT_ONCE ? plan.rows - row : ROWS_AT_ONCE;
            struct contraction product = plan.product;
            void *const own[OPERANDS] = {[LEFT] = (unsigned char *)address[X1] + left +
                                                  (int64_t)row * product.left.stride[0] *
                                                      (int64_t)product.left.bytes,
                                         [RIGHT] = (unsigned char *)address[X2] + right,
                                         [SELF] = product.has_self ? address[BIAS] : NULL,
                                         [OUT] = sums};
            product.rows = some;
            contraction_prepare(&product, plan.isa, plan.threads);
            (void)contraction_run(&product, own, contraction_work_bytes(&product) > 0 ? scratch : NULL);
            transfer_convert(plan.y.transfer, sums, ACL_FLOAT, value, ACL_DOUBLE, some * columns);
            if (plan.operation == ADDS || plan.operation == MULTIPLIES)
                meet_x3(&plan, address, row, some, value, room);
            target_take(&plan.y, address, row, some, value);
        }
    }
    return 0;
}

FUNCTION_OF(aclnnFusedMatmul, FUSED_MATMUL, .stem = "fused_matmul", .family = FAMILY_CONTRACTION,
            .promise = &promise_sum, .operation.run = run, .operation.work_bytes = work_bytes, .infer = infer,
            .plan = plan);
