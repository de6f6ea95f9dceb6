/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The forms in which functions of a formula come. FORM takes the list of the parameters itself (ops/entries.h); those below it have one, too, and take the names
 * and the sets of dtypes of their parameters.
 *
 *     FORM(aclnnCelu, celu, celu, formula, infer_celu, FLOATS(self), REAL(alpha, "1"),
 *          (OUT, out, &dtypes_floats_complex));
 *     OF_TWO(aclnnMaximum, maximum, maximum, exact, self, other, dtypes_floats_integers_bool, dtypes_all)
 *
 * name, stem, formula and promise come first, then the names of the parameters, then their sets: of what is
 * read, of scalars where there are any, of the output.
 */
#ifndef BELAY_OPS_POINTWISE_FORMS_H
#define BELAY_OPS_POINTWISE_FORMS_H

#include "ops/pointwise/formula.h"
#include "ops/entries.h"

/* Entries that many of them have: floats that are read, with and without DOUBLE, and real scalars. */
#define FLOATS(name)       (IN, name, &dtypes_fp32_fp16_bf16)
#define WIDE(name)         (IN, name, &dtypes_floats)
#define REAL(name, usual_) (SCALAR, name, &dtypes_floats_integers_bool, .usual = usual_)

/* A function of a formula with these parameters. */
#define FORM(api, stem_, formula, tier, infer_, ...) \
    FORM_PLANNED(api, stem_, formula, tier, infer_, formula_plan, __VA_ARGS__)
#define FORM_PLANNED(api, stem_, formula, tier, infer_, plan_, ...)               \
    FUNCTION_WITH(api, (__VA_ARGS__), .stem = #stem_, .promise = &promise_##tier, \
                  ELEMENTWISE(&formula##_formula.elementwise), .infer = (infer_), .plan = plan_)

#define OF_ONE(name, stem, formula, promise, self, dtypes, outs) \
    FORM(name, stem, formula, promise, formula_infer, (IN, self, &dtypes), (OUT, out, &outs));
#define OF_ONE_IN_PLACE(name, stem, formula, promise, self, dtypes) \
    FORM(name, stem, formula, promise, formula_infer, (BOTH, self, &dtypes));

#define OF_TWO(name, stem, formula, promise, self, other, dtypes, outs)                          \
    FORM(name, stem, formula, promise, formula_infer, (IN, self, &dtypes), (IN, other, &dtypes), \
         (OUT, out, &outs));
#define OF_TWO_IN_PLACE(name, stem, formula, promise, self, other, dtypes) \
    FORM(name, stem, formula, promise, formula_infer, (BOTH, self, &dtypes), (IN, other, &dtypes));

#define WITH_SCALAR(name, stem, formula, promise, self, other, dtypes, scalars, outs)                 \
    FORM(name, stem, formula, promise, formula_infer, (IN, self, &dtypes), (SCALAR, other, &scalars), \
         (OUT, out, &outs));
#define WITH_SCALAR_IN_PLACE(name, stem, formula, promise, self, other, dtypes, scalars) \
    FORM(name, stem, formula, promise, formula_infer, (BOTH, self, &dtypes), (SCALAR, other, &scalars));
#define SCALAR_FIRST(name, stem, formula, promise, self, other, dtypes, scalars, outs)                \
    FORM(name, stem, formula, promise, formula_infer, (SCALAR, self, &scalars), (IN, other, &dtypes), \
         (OUT, out, &outs));

#endif
