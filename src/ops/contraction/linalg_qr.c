/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self = Q R by Householder's reflections in DOUBLE, with LAPACK's signs; both rounded once. Of complex
 * numbers R has a real diagonal.
 */
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_qr.h"

#include <string.h>

#include "ops/contraction/decompositions.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

static const char *const modes[] = {"reduced", "complete", "r", NULL};
#define QR(X, of)                                                     \
    X(of, IN, self, &dtypes_common_floats_complex, .sample = "2x4x3") \
    X(of, INT64, mode, .choices = modes, .usual = "reduced")          \
    X(of, OUT, Q, &dtypes_common_floats_complex)                      \
    X(of, OUT, R, &dtypes_common_floats_complex)
SIGNATURE(QR)
enum { REDUCED, COMPLETE, ONLY_R };

static uint64_t smaller_side(const struct matrices *of)
{
    return of->rows < of->columns ? of->rows : of->columns;
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct matrices *of = (const struct matrices *)(const void *)walk->parameters;
    const uint64_t rows = of->rows, columns = of->columns, sides = rows + columns, count = rows * columns;
    const uint64_t across = of->mode == COMPLETE ? rows : smaller_side(of);
    double *a = room, *factor = a + count, *sums = factor + sides, *made = sums + sides;
    const double scale = matrix_scaled(walk, input[0], of->dtype, a, count);
    reflections_find(a, rows, columns, factor, sums);
    for (uint64_t i = 0; i < across * columns; i++)
        made[i] = i % columns >= i / columns ? a[i] : 0;
    matrix_store(walk, made, scale, output[of->mode == ONLY_R ? 0 : 1], of->dtype, across * columns);
    if (of->mode == ONLY_R)
        return -1;
    for (uint64_t i = 0; i < rows * across; i++)
        made[i] = i / across == i % across;
    reflections_apply(a, rows, columns, factor, made, across, sums);
    matrix_store(walk, made, 1, output[0], of->dtype, rows * across);
    return -1;
}

/* The decomposition of complex numbers, whose parts are converted as real numbers. */
static int64_t run_complex_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                                 void *room)
{
    const struct matrices *of = (const struct matrices *)(const void *)walk->parameters;
    const uint64_t rows = of->rows, columns = of->columns, sides = rows + columns, count = rows * columns;
    const uint64_t across = of->mode == COMPLETE ? rows : smaller_side(of);
    const aclDataType part = of->dtype == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
    double *a = room, *factor = a + 2 * count, *sums = factor + 2 * sides, *made = sums + 2 * sides;
    const double scale = matrix_scaled(walk, input[0], part, a, 2 * count);
    complex_reflections_find(a, rows, columns, factor, sums);
    for (uint64_t i = 0; i < 2 * across * columns; i++)
        made[i] = i / 2 % columns >= i / 2 / columns ? a[i] : 0;
    matrix_store(walk, made, scale, output[of->mode == ONLY_R ? 0 : 1], part, 2 * across * columns);
    if (of->mode == ONLY_R)
        return -1;
    for (uint64_t i = 0; i < 2 * rows * across; i++)
        made[i] = i % 2 == 0 && i / 2 / across == i / 2 % across;
    complex_reflections_apply(a, rows, columns, factor, made, across, sums);
    matrix_store(walk, made, 1, output[0], part, 2 * rows * across);
    return -1;
}

/* aclnnQr asks for one of the first two by whether it wants some. */
static int64_t mode_of(const struct call *call)
{
    const bool is_some = call->function->parameter[QR_mode].kind == PARAMETER_BOOL;
    return !is_some                          ? call->argument[QR_mode].int64
           : call->argument[QR_mode].boolean ? (int64_t)REDUCED
                                             : (int64_t)COMPLETE;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(matrices_check(call, QR_self, false));
    if (call->function->parameter[QR_mode].kind == PARAMETER_INT64)
        TRY(check_choice(call, QR_mode));
    const struct tensor_view *self = &call->tensor[QR_self];
    const struct matrices of = matrices_of(self);
    const int64_t mode = mode_of(call);
    const uint64_t across = mode == COMPLETE ? of.rows : smaller_side(&of);
    const struct shape q = mode == ONLY_R ? (struct shape){.rank = 1} : matrices_shape(self, of.rows, across);
    result_reshaped(result, call, QR_self, q);
    result->output[0].is_unwanted = mode == ONLY_R;
    result_reshaped(result, call, QR_self, matrices_shape(self, across, of.columns));
    TRY(check_element_count(call, &result->output[0].shape));
    return check_element_count(call, &result->output[1].shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct matrices of = matrices_of(&call->tensor[QR_self]);
    (void)result;
    of.mode = (uint64_t)mode_of(call);
    const uint64_t sides = of.rows + of.columns, most = of.mode == COMPLETE ? of.rows : smaller_side(&of);
    const bool has_q = of.mode != ONLY_R, is_complex = dtype_is_one_of(of.dtype, DTYPES_COMPLEX);
    if (of.batches * most == 0)
        return call_idle(call);
    const struct plane_request request = {
        .function = is_complex ? run_complex_plane : run_plane,
        .planes = of.batches,
        .inputs = 1,
        .outputs = has_q ? 2 : 1,
        .parameter = {QR_self, has_q ? QR_Q : QR_R, QR_R},
        .room_bytes =
            (of.rows * of.columns + 2 * sides + most * sides) * sizeof(double) * (is_complex ? 2 : 1),
        .plane_ns = of.rows * smaller_side(&of) * (of.columns + most) + sides,
        .parameters = &of,
        .parameter_bytes = sizeof of,
    };
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnLinalgQr, QR, .stem = "linalg_qr", .promise = &promise_sum, .family = FAMILY_CONTRACTION,
            PLANE_WALK, .infer = infer, .plan = plan);

#define QR_OF_SOME(X, of)                                     \
    X(of, IN, self, &dtypes_common_floats, .sample = "2x4x3") \
    X(of, BOOL, some, .usual = "true")                        \
    X(of, OUT, Q, &dtypes_common_floats)                      \
    X(of, OUT, R, &dtypes_common_floats)
SIGNATURE(QR_OF_SOME)

FUNCTION_OF(aclnnQr, QR_OF_SOME, .stem = "qr", .promise = &promise_sum, .family = FAMILY_CONTRACTION,
            PLANE_WALK, .infer = infer, .plan = plan);
