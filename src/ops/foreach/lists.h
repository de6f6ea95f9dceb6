/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How functions of lists of tensors are described.
 */
#ifndef BELAY_OPS_FOREACH_LISTS_H
#define BELAY_OPS_FOREACH_LISTS_H

#include "ops/foreach/foreach.h"
#include "ops/pointwise/formula.h"

#define LIST(name_, role_, dtypes_)                                                          \
    {                                                                                        \
        .name = (name_), .dtypes = (dtypes_), .kind = PARAMETER_TENSOR_LIST, .role = (role_) \
    }
#define READ_LIST(name, dtypes) LIST(name, ROLE_READ, dtypes)
#define ONE_SCALAR(name)        SCALAR(name, &dtypes_reals)
#define SCALAR_EACH(name_)                                                      \
    {                                                                           \
        .name = (name_), .dtypes = &dtypes_reals, .kind = PARAMETER_SCALAR_LIST \
    }
#define TENSOR_SCALAR(name) READ(name, &dtypes_reals, .sample = "1")
/* One for each of the two tensors that a list has in a sample. */
#define TENSOR_EACH(name) READ(name, &dtypes_reals, .sample = "2")

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
#define OVER_LISTS(name, stem_, tier, kernels_, lists_, scalars_, place_, fill_, infer_, list, declarations, \
                   arguments)                                                                                \
    static const struct elementwise name##_elementwise = {kernels_##_kernels, .cost_ps = {1500, 1500}};      \
    static const struct foreach name##_foreach = {&name##_elementwise, lists_, SCALARS_##scalars_,           \
                                                  .fill = (fill_), .place = (place_)};                       \
    static const struct parameter name##_parameters[] = {UNWRAP list};                                       \
    FUNCTION(name, declarations, arguments, .stem = "foreach_" #stem_, PARAMETERS(name##_parameters),        \
             .family = FAMILY_FOREACH, .of_family = &name##_foreach, .promise = &promise_##tier,             \
             .operation.run = FOREACH_RUN_##scalars_, .operation.run_index = FOREACH_RUN_INDEX_##scalars_,   \
             .infer = (infer_), .plan = foreach_plan)

#endif
