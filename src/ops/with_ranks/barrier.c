/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All ranks wait for one another on their streams. The tensor is neither read nor written.
 */
#include "aclnnop/aclnn_distribute_barrier.h"
#include "aclnnop/aclnn_distribute_barrier_v2.h"

#include <string.h>

#include "ops/check.h"
#include "ops/signature.h"
#include "ops/with_ranks/with_ranks.h"

enum { REFERENCE, TIME_OUT };
enum { GROUP_NAME, WORLD };

#define V1(X, of)                  \
    X(of, BOTH, xRef, &dtypes_all) \
    GROUP(X, of, group) X(of, INT64, worldSize, .usual = "1")
#define V2(X, of)                                                               \
    X(of, CONST_BOTH, xRef, &dtypes_all)                                        \
    X(of, IN, timeOut, &dtypes_int32, .is_optional = true, .sample = "1:INT32") \
    X(of, IN, elasticInfo, &dtypes_int32, .is_optional = true, .sample = "")    \
    GROUP(X, of, group) X(of, INT64, worldSize, .usual = "1")
SIGNATURE(V1)
SIGNATURE(V2)

static const struct form form_v1 = {
    {[REFERENCE] = AT(V1_xRef)}, {[GROUP_NAME] = AT(V1_group), [WORLD] = AT(V1_worldSize)}, 0};
static const struct form form_v2 = {{[REFERENCE] = AT(V2_xRef), [TIME_OUT] = AT(V2_timeOut)},
                                    {[GROUP_NAME] = AT(V2_group), [WORLD] = AT(V2_worldSize)},
                                    0};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    TRY(check_tensors(call));
    TRY(check_rank(call, part_at(call, REFERENCE)));
    TRY(find_group(call, GROUP_NAME, &met));
    TRY(check_ranks(call, WORLD, &met));
    result_like(result, call, part_at(call, REFERENCE));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct met met;
    (void)result;
    TRY(find_group(call, GROUP_NAME, &met));
    return finish_with_ranks(call, &met, sizeof met, 1);
}

static size_t work_bytes(const void *prepared)
{
    return whole_lines(((const struct met *)prepared)->place.rank_count * sizeof(struct group_part));
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    (void)address;
    memset(scratch, 0, work_bytes(prepared));
    return group_exchange(&(struct group_exchange){
        .kind = GROUP_BARRIER, .dtype = ACL_INT8, .sends = scratch, .receives = scratch});
}

#define WAITS(form_)                                                                     \
    .promise = &promise_exact, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, \
    .operation.run = run, .infer = infer, .plan = plan
FUNCTION_OF(aclnnDistributeBarrier, V1, .stem = "distribute_barrier", WAITS(form_v1));
FUNCTION_OF(aclnnDistributeBarrierV2, V2, .stem = "distribute_barrier_v2", WAITS(form_v2));
