/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of whole numbers by the weights of their groups, added up with weights where their tokens are: out[b] =
 * what the shared experts say + the sum over rows i with rowIndex[i] = b of logit[i] y[i], in DOUBLE in the
 * order of the rows and rounded once.
 */
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_v2.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_v3.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_weight_nz.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing_weight_nz_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/whole_rows.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"
#include "tensor/scratch.h"

enum { ADDED_PER_NS = 1, PIECE = 512 };

#define BY                              &dtypes_int8_int32_int4_hifloat8_float8_float4
#define SCALES                          &dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0
#define SOME(X, of, name, set, sample_) X(of, IN, name, set, .is_optional = true, .sample = sample_)
#define BEGIN(X, of)                          \
    X(of, IN, x1, BY, .sample = "5x4:INT8")   \
    X(of, IN, x2, BY, .sample = "2x4x6:INT8") \
    SOME(X, of, scaleOptional, SCALES, "2x6") \
    SOME(X, of, biasOptional, &dtypes_fp32_fp16_bf16_int32, "")
#define OFFSETS(X, of)                                   \
    SOME(X, of, offsetOptional, &dtypes_fp32, "")        \
    SOME(X, of, antiquantScaleOptional, &dtypes_all, "") \
    SOME(X, of, antiquantOffsetOptional, &dtypes_all, "")
#define TOKENS(X, of)                                                 \
    SOME(X, of, pertokenScaleOptional, &dtypes_fp32_float8_e8m0, "5") \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64")          \
    SOME(X, of, sharedInputOptional, &dtypes_fp32_fp16_bf16, "")      \
    SOME(X, of, logitOptional, &dtypes_fp32, "5")                     \
    SOME(X, of, rowIndexOptional, &dtypes_int32_int64, "5:INT64")     \
    X(of, INT64, dtype, .usual = "0")                                 \
    X(of, FLOAT, sharedInputWeight, .usual = "1")                     \
    X(of, INT64, sharedInputOffset, .usual = "0")                     \
    X(of, BOOL, transposeX1, .usual = "false")                        \
    X(of, BOOL, transposeX2, .usual = "false")                        \
    X(of, INT64, groupListType, .usual = "1")
#define RESULT(X, of) X(of, OUT, out, &dtypes_fp32)
#define NZ(X, of)     BEGIN(X, of) TOKENS(X, of) RESULT(X, of)
#define V2(X, of)     BEGIN(X, of) OFFSETS(X, of) TOKENS(X, of) RESULT(X, of)
#define V3(X, of)  \
    BEGIN(X, of)   \
    OFFSETS(X, of) \
    TOKENS(X, of) X(of, INTS, tuningConfigOptional, .is_optional = true, .sample = "1") RESULT(X, of)
SIGNATURE(NZ)
SIGNATURE(V2)
SIGNATURE(V3)

static bool is_nz(const struct call *call)
{
    return call->function->parameter_count == NZ_out + 1;
}

/* The place of what stands in both orders, behind the offsets of the second one. */
static unsigned at(const struct call *call, unsigned place)
{
    return place - (is_nz(call) ? V2_pertokenScaleOptional - NZ_pertokenScaleOptional : 0);
}

static unsigned out_of(const struct call *call)
{
    return call->function->parameter_count - 1;
}

static struct whole_call whole_of(const struct call *call)
{
    const struct tensor_view *list = &call->tensor[at(call, V2_groupList)];
    struct whole_call whole = {.call = call,
                               .x = given_of(call, V2_x1),
                               .weight = given_of(call, V2_x2),
                               .scale = given_of(call, V2_scaleOptional),
                               .bias = given_of(call, V2_biasOptional),
                               .rows_scale = given_of(call, at(call, V2_pertokenScaleOptional)),
                               .groups = list->rank > 0 ? (uint64_t)list->shape[0] : 0,
                               .out = ACL_FLOAT};
    if (!is_nz(call))
        whole.offset = given_of(call, V2_offsetOptional);
    return whole;
}

static bool is_given(const struct call *call, unsigned place)
{
    return call_has_elements(call, at(call, place));
}

static aclnnStatus check_numbers(const struct call *call)
{
    if (call->argument[at(call, V2_dtype)].int64 != ACL_FLOAT)
        return refuse(call, "dtype is %" PRId64 "; 0, FLOAT, is expected",
                      call->argument[at(call, V2_dtype)].int64);
    for (unsigned i = V2_transposeX1; i <= V2_transposeX2; i++)
        if (call->argument[at(call, i)].boolean)
            return refuse(call, "%s is true; false is expected", call_name(call, at(call, i)));
    for (unsigned i = V2_antiquantScaleOptional; !is_nz(call) && i <= V2_antiquantOffsetOptional; i++)
        if (call_has_elements(call, i))
            return refuse(call, "%s is given; NULL is expected", call_name(call, i));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_rows(const struct call *call, const struct whole_call *whole)
{
    for (unsigned i = V2_logitOptional; i <= V2_rowIndexOptional; i++) {
        if (!is_given(call, i))
            continue;
        const struct tensor_view *view = &call->tensor[at(call, i)];
        TRY(check_dtype(call, at(call, i)));
        if (view->rank != 1 || view->shape[0] != whole_rows(whole))
            return refuse(call, "%s has shape %s; [%" PRId64 "], the rows of x1, is expected",
                          call_name(call, at(call, i)), shape_text(TEXT, view), whole_rows(whole));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shared(const struct call *call, const struct whole_call *whole, int64_t tokens)
{
    const int64_t first = call->argument[at(call, V2_sharedInputOffset)].int64;
    if (!is_given(call, V2_sharedInputOptional))
        return ACLNN_SUCCESS;
    const struct tensor_view *shared = &call->tensor[at(call, V2_sharedInputOptional)];
    TRY(check_dtype(call, at(call, V2_sharedInputOptional)));
    if (shared->rank != 2 || shared->shape[1] != whole->columns)
        return refuse(call, "sharedInputOptional has shape %s; rows of %" PRId64 " are expected",
                      shape_text(TEXT, shared), whole->columns);
    if (first < 0 || shared->shape[0] > tokens || first > tokens - shared->shape[0])
        return refuse(call,
                      "sharedInputOffset is %" PRId64 " for %" PRId64
                      " rows; they are expected among the %" PRId64 " of out",
                      first, shared->shape[0], tokens);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct whole_call whole = whole_of(call);
    TRY(check_numbers(call));
    TRY(group_list_check(call, at(call, V2_groupList), call->argument[at(call, V2_groupListType)].int64,
                         (int64_t)whole.groups));
    if (whole.groups == 0)
        return refuse(call, "groupList has 0 groups; 1 or more are expected");
    if (whole.scale.count == 0)
        return refuse(call, "scaleOptional is NULL; scales of the columns are expected");
    TRY(whole_check(&whole));
    TRY(check_rows(call, &whole));
    const struct tensor_view *out = &call->tensor[out_of(call)];
    const bool has_out = call->has_outputs && out->rank == 2;
    const int64_t rows = whole_rows(&whole);
    const int64_t tokens = has_out && is_given(call, V2_rowIndexOptional) ? out->shape[0] : rows;
    TRY(check_shared(call, &whole, tokens));
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 2, .dim = {tokens, whole.columns}};
    return ACLNN_SUCCESS;
}

struct finalize_plan {
    struct whole_rows rows;
    struct port shared, logit, index, out;
    bool has_logit, has_index;
    uint64_t tokens, shared_first, shared_rows;
    double shared_weight;
};

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct whole_call whole = whole_of(call);
    struct finalize_plan plan = {.rows = {.own_bytes = sizeof plan},
                                 .has_logit = is_given(call, V2_logitOptional),
                                 .has_index = is_given(call, V2_rowIndexOptional),
                                 .tokens = (uint64_t)result->output[0].shape.dim[0],
                                 .shared_weight = (double)call->argument[at(call, V2_sharedInputWeight)].fp32,
                                 .out = port_of(call, out_of(call), ACL_DOUBLE)};
    TRY(whole_check(&whole));
    if (call->tensor[out_of(call)].count == 0)
        return call_idle(call);
    if (is_given(call, V2_sharedInputOptional)) {
        plan.shared = port_of(call, at(call, V2_sharedInputOptional), ACL_DOUBLE);
        plan.shared_first = (uint64_t)call->argument[at(call, V2_sharedInputOffset)].int64;
        plan.shared_rows = (uint64_t)call->tensor[at(call, V2_sharedInputOptional)].shape[0];
    }
    if (plan.has_logit)
        plan.logit = port_of(call, at(call, V2_logitOptional), ACL_DOUBLE);
    if (plan.has_index)
        plan.index = port_of(call, at(call, V2_rowIndexOptional), ACL_INT64);
    return whole_rows_plan(call, &whole, at(call, V2_groupList),
                           call->argument[at(call, V2_groupListType)].int64, &plan.rows,
                           (uint64_t)(whole_rows(&whole) * whole.columns) / ADDED_PER_NS);
}

/* Tokens' sums in DOUBLE, and the tokens and weights of all rows. */
static double *sums_in(void *memory)
{
    return memory;
}

static size_t sums_bytes(const struct finalize_plan *plan)
{
    return whole_lines(plan->tokens * plan->rows.scaled.columns * sizeof(double));
}

static int64_t *tokens_in(const struct finalize_plan *plan, void *memory)
{
    return (int64_t *)(void *)((unsigned char *)memory + sums_bytes(plan));
}

static double *weights_in(const struct finalize_plan *plan, void *memory)
{
    return (double *)(void *)((unsigned char *)tokens_in(plan, memory) +
                              whole_lines(plan->rows.rows * sizeof(int64_t)));
}

static size_t own_bytes(const struct finalize_plan *plan)
{
    return sums_bytes(plan) + whole_lines(plan->rows.rows * sizeof(int64_t)) +
           whole_lines(plan->rows.rows * sizeof(double));
}

struct finalize_work {
    const struct finalize_plan *plan;
    void *const *address;
    void *memory;
    const struct some_rows *rows;
};

/* What a token has before its rows: nothing, or what the shared experts say. */
static void begin_token(void *context, uint64_t token)
{
    const struct finalize_work *work = context;
    const struct finalize_plan *plan = work->plan;
    const uint64_t columns = plan->rows.scaled.columns, shared = token - plan->shared_first;
    double *sums = sums_in(work->memory) + token * columns;
    if (token < plan->shared_first || shared >= plan->shared_rows) {
        memset(sums, 0, columns * sizeof *sums);
        return;
    }
    port_bring(&plan->shared, work->address, shared * columns, columns, sums);
    for (uint64_t j = 0; j < columns; j++)
        sums[j] *= plan->shared_weight;
}

static int begin(const void *prepared, void *const *address, void *memory, uint64_t rows)
{
    const struct finalize_plan *plan = prepared;
    struct finalize_work work = {plan, address, memory, NULL};
    int64_t *token = tokens_in(plan, memory);
    double *weight = weights_in(plan, memory);
    for (uint64_t i = 0; i < rows; i++)
        token[i] = (int64_t)i, weight[i] = 1;
    if (plan->has_index)
        port_bring(&plan->index, address, 0, rows, token);
    if (plan->has_logit)
        port_bring(&plan->logit, address, 0, rows, weight);
    for (uint64_t i = 0; i < rows; i++)
        if (token[i] < 0 || (uint64_t)token[i] >= plan->tokens)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "rowIndex holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " are expected: the rows of out",
                                  token[i], i, plan->tokens - 1);
    tasks_run(begin_token, &work, plan->tokens, 1, plan->tokens * plan->rows.scaled.columns / ADDED_PER_NS);
    return 0;
}

/* Some columns of all rows, in their order. */
static void add_columns(void *context, uint64_t task)
{
    const struct finalize_work *work = context;
    const struct finalize_plan *plan = work->plan;
    const uint64_t columns = plan->rows.scaled.columns, first = task * PIECE;
    const uint64_t count = columns - first < PIECE ? columns - first : PIECE;
    const int64_t *token = tokens_in(plan, work->memory) + work->rows->first;
    const double *weight = weights_in(plan, work->memory) + work->rows->first;
    for (uint64_t i = 0; i < work->rows->count; i++) {
        const double *value = work->rows->value + i * columns + first;
        double *sums = sums_in(work->memory) + (uint64_t)token[i] * columns + first;
        for (uint64_t j = 0; j < count; j++)
            sums[j] += weight[i] * value[j];
    }
}

static void take(const void *prepared, void *const *address, void *memory, const struct some_rows *rows)
{
    const struct finalize_plan *plan = prepared;
    const uint64_t columns = plan->rows.scaled.columns;
    struct finalize_work work = {plan, address, memory, rows};
    tasks_run(add_columns, &work, (columns - 1) / PIECE + 1, 1, rows->count * columns / ADDED_PER_NS);
}

static void deliver_token(void *context, uint64_t token)
{
    const struct finalize_work *work = context;
    const uint64_t columns = work->plan->rows.scaled.columns;
    port_deliver(&work->plan->out, work->address, token * columns, columns,
                 sums_in(work->memory) + token * columns);
}

static void end(const void *prepared, void *const *address, void *memory, uint64_t first, uint64_t rows)
{
    const struct finalize_plan *plan = prepared;
    struct finalize_work work = {plan, address, memory, NULL};
    (void)first, (void)rows;
    tasks_run(deliver_token, &work, plan->tokens, 1, plan->tokens * plan->rows.scaled.columns / ADDED_PER_NS);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    static const struct whole_rows_taker taker = {.begin = begin, .take = take, .end = end};
    const struct finalize_plan *plan = prepared;
    return whole_rows_run(&plan->rows, address, (unsigned char *)scratch + own_bytes(plan), scratch, &taker);
}

static size_t work_bytes(const void *prepared)
{
    const struct finalize_plan *plan = prepared;
    return own_bytes(plan) + whole_rows_work_bytes(&plan->rows);
}

#define ADDS_UP                                                                  \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnGroupedMatmulFinalizeRoutingV2, V2, .stem = "grouped_matmul_finalize_routing_v2", ADDS_UP);
FUNCTION_OF(aclnnGroupedMatmulFinalizeRoutingV3, V3, .stem = "grouped_matmul_finalize_routing_v3", ADDS_UP);
FUNCTION_OF(aclnnGroupedMatmulFinalizeRoutingWeightNz, NZ,
            .stem = "grouped_matmul_finalize_routing_weight_nz", ADDS_UP);
FUNCTION_OF(aclnnGroupedMatmulFinalizeRoutingWeightNzV2, V3,
            .stem = "grouped_matmul_finalize_routing_weight_nz_v2", ADDS_UP);
