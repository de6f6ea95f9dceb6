/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How an elementwise operator is described, planned and walked.
 *
 * An operator file is compiled once for its contract and once per instruction-set level for its maths, which
 * is what simd/vector/kernels.h says: strides, broadcasts, conversion from and to other dtypes, tails, chunks
 * and threads belong to the one walker.
 */
#ifndef BELAY_OPS_LOOPS_ELEMENTWISE_H
#define BELAY_OPS_LOOPS_ELEMENTWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/accuracy.h"
#include "simd/vector/kernels.h"
#include "tensor/executor.h"
#include "tensor/tensor.h"

/* The part of an operator's description that the walk of elements needs. */
struct elementwise {
    const struct kernels *const *kernels; /* by instruction-set level */
    uint32_t cost_ps[ACCURACY_COUNT];     /* time for one fp32 element at the highest level, in cache */
    uint32_t cost_16_bits_ps;             /* and for one of 16 bits; 0: as fp32 at the default accuracy */
    bool skips_absent; /* a tensor that is not given is no input of the kernel; otherwise it reads as 1 */
};

struct call;
struct result;

/*
 * The end of phase 1: plans the walk and makes the executor. The description's inputs, in their order, are
 * the kernel's; its output has the shape that they broadcast to; the result is computed in the dtype
 * arithmetic and cast to the output's.
 */
aclnnStatus elementwise_plan(const struct call *call, aclDataType arithmetic, const void *parameters,
                             size_t parameter_bytes);

/* elementwise_plan() for functions whose kernel for the dtype arithmetic writes elements of another
 * dtype, as large as its own: quotients of integers are floats. */
aclnnStatus elementwise_plan_to(const struct call *call, aclDataType arithmetic, aclDataType result,
                                const void *parameters, size_t parameter_bytes);

/* elementwise_plan_to() with kernels that are not those of the function's description. */
aclnnStatus elementwise_plan_of(const struct call *call, const struct elementwise *elementwise,
                                aclDataType arithmetic, aclDataType result, const void *parameters,
                                size_t parameter_bytes);

/* The dtype in which its kernels compute elements of a dtype: FLOAT where it has none of that one. */
aclDataType elementwise_computed_dtype(const struct elementwise *elementwise, aclDataType dtype);

/* The plan of a function whose kernels take no parameters, in the dtype that infer computed. */
aclnnStatus elementwise_plan_plain(const struct call *call, const struct result *result);

/* infer where the output has the dtype and the shape of the first parameter, whatever its rank. */
aclnnStatus elementwise_infer_like(const struct call *call, struct result *result);
aclnnStatus elementwise_infer_ranked(const struct call *call, struct result *result); /* of at most 8 */

/* infer where the first two parameters have one dtype and one shape, and the output has them too. */
aclnnStatus elementwise_infer_alike(const struct call *call, struct result *result);

/* infer where the first two parameters promote and broadcast together, and the output may be cast to. */
aclnnStatus elementwise_infer_together(const struct call *call, struct result *result);

/* The functions of an elementwise operator's struct operation. */
int elementwise_run(const void *plan, void *const *address, void *scratch);
bool elementwise_find_shortcut(const void *plan, void *const *address, struct shortcut *shortcut);
uint64_t elementwise_copied_bytes(const void *plan);

/* In the description of a function: the family, what of_family is, and the functions of its operation. */
#define ELEMENTWISE(elementwise_) .family = FAMILY_POINTWISE, ELEMENTWISE_RUN(elementwise_)
#define ELEMENTWISE_RUN(elementwise_)                              \
    .of_family = (elementwise_), .operation.run = elementwise_run, \
    .operation.find_shortcut = elementwise_find_shortcut, .operation.copied_bytes = elementwise_copied_bytes

#endif
