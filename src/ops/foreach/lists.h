/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How functions of lists of tensors are described.
 */
#ifndef BELAY_OPS_FOREACH_LISTS_H
#define BELAY_OPS_FOREACH_LISTS_H

#include "ops/foreach/foreach.h"
#include "ops/pointwise/formula.h"
#include "ops/signature.h"

/* Scalars: one, one for each tensor of a list, one in a tensor, and one in it for each of the two tensors that a
 * list has in a sample. */
#define ONE_SCALAR(X, of, name)    X(of, SCALAR, name, &dtypes_reals)
#define SCALAR_EACH(X, of, name)   X(of, SCALARS, name, &dtypes_reals)
#define TENSOR_SCALAR(X, of, name) X(of, IN, name, &dtypes_reals, .sample = "1")
#define TENSOR_EACH(X, of, name)   X(of, IN, name, &dtypes_reals, .sample = "2")

/* The shapes of signature: one to three lists, with a scalar behind, and what is written. */
#define OF_LIST(X, of, set)  X(of, IN_LIST, x, set) X(of, OUT_LIST, out, set)
#define OF_LISTS(X, of, set) X(of, IN_LIST, x1, set) X(of, IN_LIST, x2, set) X(of, OUT_LIST, out, set)
#define OF_LIST_AND(X, of, set, scalar, name) \
    X(of, IN_LIST, x, set)                    \
    scalar(X, of, name) X(of, OUT_LIST, out, set)
#define OF_LISTS_AND(X, of, set, scalar, name) \
    X(of, IN_LIST, x1, set)                    \
    X(of, IN_LIST, x2, set)                    \
    scalar(X, of, name) X(of, OUT_LIST, out, set)
#define OF_THREE_AND(X, of, set, scalar, name) \
    X(of, IN_LIST, x1, set)                    \
    X(of, IN_LIST, x2, set)                    \
    X(of, IN_LIST, x3, set)                    \
    scalar(X, of, name) X(of, OUT_LIST, out, set)

/* How an index of a call with these scalars runs, and all of them. */
#define FOREACH_RUN_INDEX_NONE        foreach_run_index
#define FOREACH_RUN_INDEX_ONE         foreach_run_index
#define FOREACH_RUN_INDEX_EACH        foreach_run_index
#define FOREACH_RUN_INDEX_TENSOR      foreach_run_index_by_tensor
#define FOREACH_RUN_INDEX_TENSOR_EACH foreach_run_index_by_tensor
#define FOREACH_RUN_NONE              foreach_run
#define FOREACH_RUN_ONE               foreach_run
#define FOREACH_RUN_EACH              foreach_run
#define FOREACH_RUN_TENSOR            foreach_run_by_tensor
#define FOREACH_RUN_TENSOR_EACH       foreach_run_by_tensor

/* A function: kernels, how many lists it reads, its scalars and where they stand, its parameters. */
#define OVER_LISTS(name, stem_, tier, kernels_, lists_, scalars_, place_, fill_, infer_, list)          \
    static const struct elementwise name##_elementwise = {kernels_##_kernels, .cost_ps = {1500, 1500}}; \
    static const struct foreach name##_foreach = {&name##_elementwise, lists_, SCALARS_##scalars_,      \
                                                  .fill = (fill_), .place = (place_)};                  \
    FUNCTION_LIKE(                                                                                      \
        name, list, .stem = "foreach_" #stem_, .family = FAMILY_FOREACH, .of_family = &name##_foreach,  \
        .promise = &promise_##tier, .operation.run = FOREACH_RUN_##scalars_,                            \
        .operation.run_index = FOREACH_RUN_INDEX_##scalars_, .infer = (infer_), .plan = foreach_plan)

#endif
