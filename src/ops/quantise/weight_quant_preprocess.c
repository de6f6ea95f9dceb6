/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A quantised weight and what belongs to it are copied; formats in blocks are the frame's.
 */
#include "aclnnop/aclnn_weight_quant_preprocess.h"

#include <inttypes.h>

#include "ops/dtypes.h"
#include "ops/loops/row_tasks.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { COPIES = 4, PIECE = 1024, ELEMENT_PS = 500 };

#define OPTION(X, of, name) X(of, IN, name, &dtypes_all_small, .is_optional = true, .sample = "3")
#define COPY(X, of, name)   X(of, OUT, name, &dtypes_all_small, .is_optional = true)
#define PREPROCESS(X, of)                                                                      \
    X(of, IN, weight, &dtypes_int8_int32_int4_hifloat8_float8_float4, .sample = "4x3:INT8",    \
      .is_unpacked = true)                                                                     \
    X(of, IN, weightScale, &dtypes_all_small, .sample = "3")                                   \
    OPTION(X, of, weightOffsetOptional)                                                        \
    OPTION(X, of, biasOptional)                                                                \
    X(of, DTYPE, xDtype, &dtypes_all_small, .sample = "FLOAT16")                               \
    X(of, DTYPE, xScaleDtype, &dtypes_all_small, .sample = "FLOAT")                            \
    X(of, INT64, kGroupSize, .usual = "0")                                                     \
    X(of, OUT, outWeight, &dtypes_int8_int32_int4_hifloat8_float8_float4, .is_unpacked = true) \
    X(of, OUT, outWeightScale, &dtypes_all_small)                                              \
    COPY(X, of, outWeightOffsetOptional) COPY(X, of, outBiasOptional)
SIGNATURE(PREPROCESS)

struct copies {
    uint64_t count[COPIES];
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_all_dtypes(call));
    TRY(check_dtype(call, PREPROCESS_xDtype));
    if (call->argument[PREPROCESS_xScaleDtype].int64 != ACL_DT_UNDEFINED)
        TRY(check_dtype(call, PREPROCESS_xScaleDtype));
    if (call->argument[PREPROCESS_kGroupSize].int64 < 0)
        return refuse(call, "kGroupSize is %" PRId64 "; 0 or more is expected",
                      call->argument[PREPROCESS_kGroupSize].int64);
    for (unsigned i = 0; i < COPIES; i++) {
        const bool is_wanted = i < 2 || call_has_elements(call, PREPROCESS_weight + i);
        if (is_wanted)
            result_like(result, call, PREPROCESS_weight + i);
        else
            result_unwanted(result, ACL_FLOAT);
        if (call->has_outputs && is_wanted)
            TRY(check_given(call, PREPROCESS_outWeight + i, call_name(call, PREPROCESS_weight + i)));
    }
    return ACLNN_SUCCESS;
}

static void copy_piece(const struct task *task, uint64_t number)
{
    const struct copies *copies = task->parameters;
    for (unsigned i = 0; i < COPIES; i++) {
        const uint64_t at = number * PIECE, left = at < copies->count[i] ? copies->count[i] - at : 0;
        if (left > 0)
            task_copy(task, PREPROCESS_outWeight + i, at, PREPROCESS_weight + i, at,
                      left < PIECE ? left : PIECE);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct copies copies = {.count = {0}};
    uint64_t most = 0;
    (void)result;
    for (unsigned i = 0; i < COPIES; i++) {
        copies.count[i] = call_has_elements(call, PREPROCESS_weight + i)
                              ? (uint64_t)call->tensor[PREPROCESS_weight + i].count
                              : 0;
        most = copies.count[i] > most ? copies.count[i] : most;
    }
    return row_tasks_plan(call, &(struct row_tasks_request){.body = copy_piece,
                                                            .count = (most + PIECE - 1) / PIECE,
                                                            .task_ns = PIECE * ELEMENT_PS / 1000,
                                                            .parameters = &copies,
                                                            .parameter_bytes = sizeof copies});
}

FUNCTION_OF(aclnnWeightQuantPreprocess, PREPROCESS, .stem = "weight_quant_preprocess",
            .family = FAMILY_QUANTISE, .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan);
