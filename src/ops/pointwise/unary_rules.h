/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which dtypes functions of one tensor take and give: the rules that a line of pointwise/unary.h names. For
 * each the dtypes of self, of out and of what works in place, how out's dtype is judged, and whether there
 * is an in-place form.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_RULES_H
#define BELAY_OPS_POINTWISE_UNARY_RULES_H

#include "ops/dtype_set.h"
#include "tensor/dtype.h"

/* The oldest product has no BFLOAT16. */
#define WITH_BF16(set)                                    \
    {                                                     \
        .on = {                                           \
            [PRODUCT_910A] = (set),                       \
            [PRODUCT_910B] = (set) | DTYPE_BIT(ACL_BF16), \
            [PRODUCT_950] = (set) | DTYPE_BIT(ACL_BF16),  \
        }                                                 \
    }
#define FLT3     (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16))
#define FLT4     (FLT3 | DTYPE_BIT(ACL_DOUBLE))
#define COMPLEX  (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))
#define BOOLEAN  DTYPE_BIT(ACL_BOOL)
#define INT64    DTYPE_BIT(ACL_INT64)
#define LARGE    (DTYPE_BIT(ACL_INT32) | INT64)
#define SIGNED   (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | LARGE)
#define INTEGERS (SIGNED | DTYPE_BIT(ACL_UINT8))
#define NATURALS (DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))

static const struct dtype_set flt3 = WITH_BF16(FLT3), flt4 = WITH_BF16(FLT4),
                              flt4_and_complex = WITH_BF16(FLT4 | COMPLEX),
                              real = WITH_BF16(FLT4 | INTEGERS | BOOLEAN),
                              flt4_int64_bool = WITH_BF16(FLT4 | INT64 | BOOLEAN),
                              flt3_int64_bool = WITH_BF16(FLT3 | INT64 | BOOLEAN),
                              flt4_and_whole = WITH_BF16(FLT4 | INTEGERS | NATURALS),
                              flt4_and_large = WITH_BF16(FLT4 | LARGE),
                              flt4_and_integers = WITH_BF16(FLT4 | INTEGERS),
                              flt3_and_integers = WITH_BF16(FLT3 | INTEGERS),
                              of_neg = WITH_BF16(FLT4 | DTYPE_BIT(ACL_INT8) | LARGE),
                              of_sign = WITH_BF16(FLT4 | LARGE | BOOLEAN),
                              everything = WITH_BF16(FLT4 | INTEGERS | NATURALS | BOOLEAN | COMPLEX);
static const struct dtype_set of_truth = {.on = {BOOLEAN, BOOLEAN, BOOLEAN}};

#undef FLT3
#undef FLT4
#undef COMPLEX
#undef BOOLEAN
#undef INT64
#undef LARGE
#undef SIGNED
#undef INTEGERS
#undef NATURALS
#undef WITH_BF16

/* IN_PLACE_rule(form, ...) is form(...), or nothing. */
#define WITH_IN_PLACE(form, ...) form(__VA_ARGS__)
#define WITHOUT_IN_PLACE(form, ...)

/* Integers count as FLOAT; out is any of the set, to which the result is converted. */
#define SELF_TO_FLOATS      real
#define OUT_TO_FLOATS       flt4
#define REF_TO_FLOATS       flt4
#define INFER_TO_FLOATS     infer_any
#define IN_PLACE_TO_FLOATS  WITH_IN_PLACE
#define SELF_TO_COMPLEX     real
#define OUT_TO_COMPLEX      flt4_and_complex
#define REF_TO_COMPLEX      flt4
#define INFER_TO_COMPLEX    infer_any
#define IN_PLACE_TO_COMPLEX WITH_IN_PLACE

/* out is what the result may be cast to. */
#define SELF_CASTABLE     real
#define OUT_CASTABLE      flt4_and_complex
#define REF_CASTABLE      flt4
#define INFER_CASTABLE    infer_castable
#define IN_PLACE_CASTABLE WITH_IN_PLACE
#define SELF_EXP          flt4_int64_bool
#define OUT_EXP           flt4_and_complex
#define REF_EXP           flt4
#define INFER_EXP         infer_castable
#define IN_PLACE_EXP      WITH_IN_PLACE
#define SELF_EXPM1        flt3_int64_bool
#define OUT_EXPM1         flt4_and_complex
#define REF_EXPM1         flt3
#define INFER_EXPM1       infer_castable
#define IN_PLACE_EXPM1    WITH_IN_PLACE
#define SELF_NEG          of_neg
#define OUT_NEG           everything
#define REF_NEG           of_neg
#define INFER_NEG         infer_castable
#define IN_PLACE_NEG      WITH_IN_PLACE

/* out has the dtype of the result: self's, or FLOAT for integers. */
#define SELF_LOG10           real
#define OUT_LOG10            flt4
#define REF_LOG10            flt4
#define INFER_LOG10          infer_same
#define IN_PLACE_LOG10       WITH_IN_PLACE
#define SELF_SAME_FLOATS     flt4
#define OUT_SAME_FLOATS      flt4
#define REF_SAME_FLOATS      flt4
#define INFER_SAME_FLOATS    infer_same
#define IN_PLACE_SAME_FLOATS WITH_IN_PLACE
#define SELF_WHOLE           flt4_and_whole
#define OUT_WHOLE            flt4_and_whole
#define REF_WHOLE            flt4_and_whole
#define INFER_WHOLE          infer_same
#define IN_PLACE_WHOLE       WITH_IN_PLACE
#define SELF_ROUND           flt4_and_large
#define OUT_ROUND            flt4_and_large
#define REF_ROUND            flt4_and_large
#define INFER_ROUND          infer_same
#define IN_PLACE_ROUND       WITH_IN_PLACE
#define SELF_FRAC            flt3_and_integers
#define OUT_FRAC             flt3_and_integers
#define REF_FRAC             flt3_and_integers
#define INFER_FRAC           infer_same
#define IN_PLACE_FRAC        WITH_IN_PLACE
#define SELF_ABS             real
#define OUT_ABS              real
#define INFER_ABS            infer_same
#define IN_PLACE_ABS         WITHOUT_IN_PLACE
#define SELF_SIGN            of_sign
#define OUT_SIGN             of_sign
#define INFER_SIGN           infer_same
#define IN_PLACE_SIGN        WITHOUT_IN_PLACE
#define SELF_SQUARE          flt4_and_integers
#define OUT_SQUARE           flt4_and_integers
#define INFER_SQUARE         infer_same
#define IN_PLACE_SQUARE      WITHOUT_IN_PLACE
#define SELF_TO_BOOL         real
#define OUT_TO_BOOL          of_truth
#define INFER_TO_BOOL        infer_bool
#define IN_PLACE_TO_BOOL     WITHOUT_IN_PLACE

#endif
