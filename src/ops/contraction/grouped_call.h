/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The calls of GroupedMatmul's generations: their parameters, and what their tensors and numbers say of groups.
 */
#ifndef BELAY_OPS_CONTRACTION_GROUPED_CALL_H
#define BELAY_OPS_CONTRACTION_GROUPED_CALL_H

#include "ops/contraction/grouped.h"
#include "ops/contraction/whole_call.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

/* Each version but the first has the parameters of the one before it, and more. */
#define A_LIST(X, of, name, set)    X(of, IN_LIST, name, set, .is_optional = true, .sample = "")
#define NO_LIST(X, of, name)        X(of, IN_LIST, name, &dtypes_all, .is_optional = true, .sample = "")
#define NUMBER(X, of, name, usual_) X(of, INT64, name, .usual = usual_)
#define MATRICES(X, of)                                                                                    \
    X(of, IN_LIST, x, &dtypes_fp32_fp16_bf16_int8_int32_int4_hifloat8_float8_float4, .sample = "3x3")      \
    X(of, IN_LIST, weight, &dtypes_fp32_fp16_bf16_int8_int32_int4_hifloat8_float8_float4, .sample = "3x3") \
    X(of, IN_LIST, biasOptional, &dtypes_fp32_fp16_bf16_int32, .is_optional = true, .sample = "3")         \
    A_LIST(X, of, scaleOptional, &dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0)                          \
    A_LIST(X, of, offsetOptional, &dtypes_fp32)                                                            \
    A_LIST(X, of, antiquantScaleOptional, &dtypes_fp16_bf16)                                               \
    A_LIST(X, of, antiquantOffsetOptional, &dtypes_fp16_bf16)
#define V1(X, of)                                                     \
    MATRICES(X, of)                                                   \
    X(of, INTS, groupListOptional, .is_optional = true, .sample = "") \
    NUMBER(X, of, splitItem, "0")                                     \
    X(of, CONST_OUT_LIST, y, &dtypes_fp32_fp16_bf16_int8_int32)
SIGNATURE_PLACES(V1)
#define LATER(X, of)                                                               \
    MATRICES(X, of)                                                                \
    A_LIST(X, of, perTokenScaleOptional, &dtypes_fp32_float8_e8m0)                 \
    X(of, IN, groupListOptional, &dtypes_int64, .is_optional = true, .sample = "") \
    NO_LIST(X, of, activationInputOptional)                                        \
    NO_LIST(X, of, activationQuantScaleOptional)                                   \
    NO_LIST(X, of, activationQuantOffsetOptional)                                  \
    NUMBER(X, of, splitItem, "0")                                                  \
    NUMBER(X, of, groupType, "-1")                                                 \
    NUMBER(X, of, groupListType, "0")                                              \
    NUMBER(X, of, actType, "0")
#define RESULTS(X, of)                                                                                   \
    X(of, OUT_LIST, out, &dtypes_fp32_fp16_bf16_int8_int32)                                              \
    X(of, MUTABLE_IN_LIST, activationFeatureOutOptional, &dtypes_all, .is_optional = true, .sample = "") \
    X(of, MUTABLE_IN_LIST, dynQuantScaleOutOptional, &dtypes_all, .is_optional = true, .sample = "")
#define TUNING(X, of) X(of, INTS, tuningConfigOptional, .is_optional = true, .sample = "1")
#define V4(X, of)     LATER(X, of) RESULTS(X, of)
SIGNATURE_PLACES(V4)
#define V5(X, of)        LATER(X, of) TUNING(X, of) RESULTS(X, of)
#define WEIGHT_NZ(X, of) LATER(X, of) TUNING(X, of) NUMBER(X, of, quantGroupSize, "0") RESULTS(X, of)

static inline bool is_v1(const struct call *call)
{
    return call->function->parameter_count == V1_y + 1;
}

static inline unsigned y_of(const struct call *call)
{
    return is_v1(call) ? V1_y : call->function->parameter_count - 3;
}

static inline uint64_t length(const struct call *call, unsigned list)
{
    return call_has(call, list) ? call->values[list].count : 0;
}

static inline int64_t split_of(const struct call *call)
{
    return call->argument[is_v1(call) ? V1_splitItem : V4_splitItem].int64;
}

/* An array cuts one x into the rows of groups, which have a y each. */
static inline bool is_cut(const struct call *call)
{
    return is_v1(call) && length(call, V1_groupListOptional) > 0 && length(call, V4_x) == 1 &&
           split_of(call) < 2;
}

/* V1 splits rows where it has a list of groups. Groups of rows that have an x or a y each are those of lists.
 */
static inline int64_t type_of(const struct call *call)
{
    const int64_t type = !is_v1(call)                             ? call->argument[V4_groupType].int64
                         : length(call, V1_groupListOptional) > 0 ? GROUPS_OF_ROWS
                                                                  : GROUPS_OF_LISTS;
    return type == GROUPS_OF_ROWS && (length(call, V4_x) > 1 || is_cut(call)) ? GROUPS_OF_LISTS : type;
}

/* Lists whose results lie one behind the other in one y. */
static inline bool is_joined(const struct call *call)
{
    return type_of(call) == GROUPS_OF_LISTS && split_of(call) > 1;
}

/* A tensor says the rows of groups, which lists know already. */
static inline bool has_rows_told(const struct call *call)
{
    return !is_v1(call) && call->argument[V4_groupType].int64 == GROUPS_OF_ROWS &&
           call_has(call, V4_groupListOptional);
}

static inline const struct tensor_view *view_at(const struct call *call, unsigned list, uint64_t index)
{
    return &call->values[list].value.tensor[index];
}

/* Groups of rows or of the common dim: as many as numbers, or pairs, say; otherwise those of the list of x. */
static inline uint64_t group_count(const struct call *call)
{
    const int64_t type = type_of(call);
    if (is_v1(call) && (type == GROUPS_OF_ROWS || is_cut(call)))
        return call->values[V1_groupListOptional].count;
    if (type == GROUPS_OF_LISTS)
        return length(call, V4_x);
    const struct tensor_view *list = &call->tensor[V4_groupListOptional];
    return (uint64_t)(list->rank == 2 ? list->shape[0] : list->count);
}

/* Rows (0) or columns (1) of a matrix of a list, or of each of a stacked one, as numbers that may be packed. */
static inline int64_t size_of_matrix(const struct call *call, unsigned list, uint64_t index, uint32_t side)
{
    const struct tensor_view *view = view_at(call, list, length(call, list) == 1 ? 0 : index);
    struct numbers numbers;
    if (view->dtype != ACL_INT32 && view->rank < 4)
        return view->shape[view->rank - 2 + side];
    return matrix_of_numbers(view, view->rank % 2 == 1, 0, &numbers) ? numbers.size[side] : 0;
}

static inline int64_t rows_of(const struct call *call, unsigned list, uint64_t index)
{
    return size_of_matrix(call, list, index, 0);
}

static inline int64_t columns_of(const struct call *call, unsigned list, uint64_t index)
{
    return size_of_matrix(call, list, index, 1);
}

/* Products of small numbers, and of floats by whole numbers that have scales. */
static inline bool is_whole_call(const struct call *call)
{
    return length(call, V4_x) > 0 && is_number_dtype(view_at(call, V4_x, 0)->dtype);
}

static inline bool is_antiquant_call(const struct call *call)
{
    return !is_whole_call(call) && length(call, V4_antiquantScaleOptional) > 0;
}

static inline int64_t list_type_of(const struct call *call)
{
    return is_v1(call) ? GROUPS_CUMULATED : call->argument[V4_groupListType].int64;
}

/* The first of the rows of x that an array cuts out for a group, and how many; otherwise all of the group's.
 */
static inline int64_t first_row(const struct call *call, uint64_t group)
{
    return is_cut(call) && group > 0 ? call->values[V1_groupListOptional].value.int64[group - 1] : 0;
}

static inline int64_t group_rows(const struct call *call, uint64_t group)
{
    return is_cut(call) ? call->values[V1_groupListOptional].value.int64[group] - first_row(call, group)
                        : rows_of(call, V4_x, group);
}

/* Of products of whole numbers (grouped_whole.c): checks, their results' dtype, and what the plan has of them. */
aclnnStatus grouped_whole_check(const struct call *call, aclDataType out);
void grouped_whole_plan(const struct call *call, struct grouped_plan *plan);
/* Of floats by numbers with scales. */
aclnnStatus grouped_antiquant_check(const struct call *call);
void grouped_antiquant_plan(const struct call *call, struct grouped_plan *plan);

#endif
