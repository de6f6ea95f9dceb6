/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of any function by its description, on tensors in layouts drawn at random, and how near a result must
 * be to one in long double. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_LOSSES_H
#define BELAY_TESTS_OPS_LOSSES_H

#include <math.h>

#include "ops/attempt.h"
#include "ops/layout.h"

static const aclDataType short_dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

/* The status of the synchronise. */
static inline int call_function(const struct function *function, const union argument *argument)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(function->launch(NULL, 0, executor, NULL), 0);
    return aclrtSynchronizeStream(NULL);
}

static inline double element_of(const struct layout *layout, int64_t index)
{
    double value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_DOUBLE);
    return value;
}

static inline void set_element(const struct layout *layout, int64_t index, double value)
{
    conversion_reference(&value, ACL_DOUBLE, layout_element(layout, index), layout->dtype);
}

/* The element of a layout that broadcasts to a shape. */
static inline double broadcast_element(const struct layout *layout, unsigned rank, const int64_t *shape,
                                       int64_t k)
{
    int64_t place = layout->offset;
    double value;
    for (unsigned i = rank; i-- > 0; k /= shape[i]) {
        const unsigned missing = rank - layout->rank;
        if (i >= missing && layout->shape[i - missing] != 1)
            place += k % shape[i] * layout->stride[i - missing];
    }
    conversion_reference(layout->memory + (size_t)place * layout->bytes, layout->dtype, &value, ACL_DOUBLE);
    return value;
}

/* A shape of at most `most` dims. */
static inline unsigned draw_dims(int64_t *shape, unsigned least, unsigned most, int64_t elements)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33, 130, 1500};
    const unsigned rank = least + (unsigned)random_below(most - least + 1);
    int64_t count = 1;
    for (unsigned i = 0; i < rank; i++) {
        shape[i] = sizes[random_below(sizeof sizes / sizeof sizes[0])];
        shape[i] = count * shape[i] > elements ? 1 : shape[i];
        count *= shape[i];
    }
    return rank;
}

/* What broadcasts to a shape. */
static inline struct layout draw_smaller(aclDataType dtype, unsigned rank, const int64_t *shape,
                                         enum layout_kind kind)
{
    const unsigned missing = (unsigned)random_below(rank + 1);
    int64_t dims[LAYOUT_RANK_MAX];
    for (unsigned i = missing; i < rank; i++)
        dims[i - missing] = random_below(3) == 0 ? 1 : shape[i];
    return layout_create(dtype, rank - missing, dims, kind);
}

static inline double unit_of(aclDataType dtype)
{
    return dtype == ACL_DOUBLE    ? 0x1p-53
           : dtype == ACL_FLOAT   ? 0x1p-24
           : dtype == ACL_FLOAT16 ? 0x1p-11
                                  : 0x1p-8;
}

static inline double least_of(aclDataType dtype)
{
    return dtype == ACL_DOUBLE    ? 0x1p-1074
           : dtype == ACL_FLOAT16 ? 0x1p-25
           : dtype == ACL_FLOAT   ? 0x1p-150
                                  : 0x1p-134;
}

/* Rounded to the dtype that is computed in, then to the output's; slack is what sums and functions may err.
 */
static inline void assert_near(const char *name, const struct layout *out, int64_t index, long double exact,
                               aclDataType computed, long double slack)
{
    const double got = element_of(out, index), near = (double)exact;
    unsigned char rounded[16], final[16];
    double wanted;
    conversion_reference(&near, ACL_DOUBLE, rounded, computed);
    conversion_reference(rounded, computed, final, out->dtype);
    conversion_reference(final, out->dtype, &wanted, ACL_DOUBLE);
    const long double units = ((long double)unit_of(computed) + (long double)unit_of(out->dtype)) * 1.01L;
    const long double bound =
        fabsl(exact) * units + (long double)least_of(computed) + (long double)least_of(out->dtype) + slack;
    if (!(isnan(wanted) && isnan(got)) && got != wanted && !(fabsl((long double)got - exact) <= bound))
        fail_msg("%s of %s to %s: element %lld of %lld is %a and not %La", name, dtype_name(computed),
                 dtype_name(out->dtype), (long long)index, (long long)out->count, got, exact);
}

#endif
