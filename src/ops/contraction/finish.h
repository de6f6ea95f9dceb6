/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The epilogue: what becomes of complete sums. alpha * sum + beta * self, one rounding to the output's dtype,
 * and one NaN for all.
 */
#ifndef BELAY_OPS_CONTRACTION_FINISH_H
#define BELAY_OPS_CONTRACTION_FINISH_H

#include "ops/contraction/element.h"

/* A row of FLOAT sums. The product alone is exact where alpha is 1; beta * self alone is what no product
 * leaves, with the sign of its zeros. */
static ALWAYS_INLINE void finish_row(const struct contraction *plan, const float *sums,
                                     const unsigned char *self, const struct contraction_tile *tile,
                                     unsigned char *out)
{
    const vector alpha = vector_of((float)plan->alpha), beta = vector_of((float)plan->beta);
    const int64_t self_bytes = plan->self.stride[1] * (int64_t)plan->self.bytes;
    const struct contraction_matrix *to = &plan->out;
    const int64_t out_bytes = to->stride[1] * (int64_t)to->bytes;
    const uint32_t columns = tile->columns;
    for (uint32_t j = 0; j < columns; j += VECTOR_LANES) {
        vector value = load_floats(sums + j);
        if (self != NULL) {
            vector addend = beta * read_elements(self + j * self_bytes, plan->self.dtype,
                                                 plan->self.stride[1], columns - j);
            value = plan->depth == 0 ? addend : fused(alpha, value, addend);
        } else {
            value = alpha * value;
        }
        write_elements(vector_canonical(value), out + j * out_bytes, to->dtype, to->stride[1], columns - j);
    }
}

/* The commonest: whole vectors of results side by side, and a self, if any, that is too. */
static ALWAYS_INLINE void finish_whole_tile(const struct contraction *plan,
                                            const struct contraction_tile *tile, aclDataType dtype)
{
    const vector alpha = vector_of((float)plan->alpha), beta = vector_of((float)plan->beta);
    const int64_t bytes = dtype == ACL_FLOAT ? 4 : 2, self_bytes = plan->self.bytes;
    const float *sums = (const float *)tile->sums;
    const unsigned char *self = tile->self;
    unsigned char *out = tile->out;
    for (uint32_t i = 0; i < tile->rows; i++) {
        for (uint32_t j = 0; j < tile->columns; j += VECTOR_LANES) {
            const vector sum = load_floats(sums + j);
            vector value = alpha * sum;
            if (self != NULL)
                value = fused(alpha, sum, beta * load_elements(self + j * self_bytes, plan->self.dtype));
            value = vector_canonical(value);
            if (tile->columns - j >= VECTOR_LANES)
                store_results(out + j * bytes, dtype, value, VECTOR_LANES);
            else
                store_results(out + j * bytes, dtype, value, tile->columns - j);
        }
        sums += tile->sums_step;
        self = self != NULL ? self + plan->self.stride[0] * self_bytes : NULL;
        out += plan->out.stride[0] * bytes;
    }
}

static bool tile_is_whole(const struct contraction *plan, const struct contraction_tile *tile)
{
    return !plan->is_exact && plan->out.stride[1] == 1 && plan->depth > 0 &&
           (tile->self == NULL || (plan->self.stride[1] == 1 && tile->columns % VECTOR_LANES == 0));
}

static inline void finish_exact_row(const struct contraction *plan, const double *sums,
                                    const unsigned char *self, const struct contraction_tile *tile,
                                    unsigned char *out)
{
    const int64_t self_bytes = plan->self.stride[1] * (int64_t)plan->self.bytes;
    const struct contraction_matrix *to = &plan->out;
    const int64_t out_bytes = to->stride[1] * (int64_t)to->bytes;
    const uint32_t columns = tile->columns;
    for (uint32_t j = 0; j < columns; j += VECTOR_LANES) {
        float addend[VECTOR_LANES] = {0}, result[VECTOR_LANES] = {0};
        if (self != NULL)
            store_floats(addend, read_elements(self + j * self_bytes, plan->self.dtype, plan->self.stride[1],
                                               columns - j));
        for (uint32_t i = 0; i < VECTOR_LANES && j + i < columns; i++) {
            double value = plan->alpha * sums[j + i];
            if (self != NULL)
                value = plan->depth == 0 ? plan->beta * (double)addend[i]
                                         : value + plan->beta * (double)addend[i];
            result[i] = to->dtype == ACL_FLOAT ? (float)value : float_for_rounding(value);
        }
        write_elements(vector_canonical(load_floats(result)), out + j * out_bytes, to->dtype, to->stride[1],
                       columns - j);
    }
}

static void finish_tile(const struct contraction *plan, const struct contraction_tile *tile)
{
    if (tile_is_whole(plan, tile)) {
        if (plan->out.dtype == ACL_FLOAT)
            finish_whole_tile(plan, tile, ACL_FLOAT);
        else if (plan->out.dtype == ACL_FLOAT16)
            finish_whole_tile(plan, tile, ACL_FLOAT16);
        else
            finish_whole_tile(plan, tile, ACL_BF16);
        return;
    }
    const int64_t self_bytes = plan->self.stride[0] * (int64_t)plan->self.bytes;
    const int64_t out_bytes = plan->out.stride[0] * (int64_t)plan->out.bytes;
    const unsigned char *self = tile->self;
    unsigned char *out = tile->out;
    for (uint32_t i = 0; i < tile->rows; i++) {
        if (plan->is_exact)
            finish_exact_row(plan, (const double *)tile->sums + i * tile->sums_step, self, tile, out);
        else
            finish_row(plan, (const float *)tile->sums + i * tile->sums_step, self, tile, out);
        self = self == NULL ? NULL : self + self_bytes;
        out += out_bytes;
    }
}

#endif
