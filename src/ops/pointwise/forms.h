/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The forms in which functions of a formula come, each a line: of tensors, of tensors and a scalar, with an
 * output and in place.
 *
 *     OF_TWO(aclnnMaximum, maximum, maximum, exact, self, other, dtypes_floats_integers_bool, dtypes_all)
 *
 * name, stem, formula and promise come first, then the names of the parameters, then their sets: of what is
 * read, of scalars where there are any, of the output.
 */
#ifndef BELAY_OPS_POINTWISE_FORMS_H
#define BELAY_OPS_POINTWISE_FORMS_H

#include "ops/pointwise/formula.h"

/* list, declarations and arguments in parentheses. */
#define FORM(name, stem_, formula, tier, infer_, list, declarations, arguments)            \
    static const struct parameter name##_parameters[] = {UNWRAP list};                     \
    FUNCTION(name, declarations, arguments, .stem = #stem_, PARAMETERS(name##_parameters), \
             .promise = &promise_##tier, OF_FORMULA(formula, infer_))

#define OF_ONE(name, stem, formula, promise, self, dtypes, outs)                                     \
    FORM(name, stem, formula, promise, formula_infer, (READ(#self, &dtypes), WRITTEN("out", &outs)), \
         (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)));
#define OF_ONE_IN_PLACE(name, stem, formula, promise, self, dtypes)                               \
    FORM(name, stem, formula, promise, formula_infer, (BOTH(#self, &dtypes)), (aclTensor * self), \
         (ARG(self)));

#define OF_TWO(name, stem, formula, promise, self, other, dtypes, outs)        \
    FORM(name, stem, formula, promise, formula_infer,                          \
         (READ(#self, &dtypes), READ(#other, &dtypes), WRITTEN("out", &outs)), \
         (const aclTensor *self, const aclTensor *other, aclTensor *out),      \
         (ARG(self), ARG(other), ARG(out)));
#define OF_TWO_IN_PLACE(name, stem, formula, promise, self, other, dtypes)                           \
    FORM(name, stem, formula, promise, formula_infer, (BOTH(#self, &dtypes), READ(#other, &dtypes)), \
         (aclTensor * self, const aclTensor *other), (ARG(self), ARG(other)));

#define WITH_SCALAR(name, stem, formula, promise, self, other, dtypes, scalars, outs) \
    FORM(name, stem, formula, promise, formula_infer,                                 \
         (READ(#self, &dtypes), SCALAR(#other, &scalars), WRITTEN("out", &outs)),     \
         (const aclTensor *self, const aclScalar *other, aclTensor *out),             \
         (ARG(self), ARG(other), ARG(out)));
#define WITH_SCALAR_IN_PLACE(name, stem, formula, promise, self, other, dtypes, scalars)                \
    FORM(name, stem, formula, promise, formula_infer, (BOTH(#self, &dtypes), SCALAR(#other, &scalars)), \
         (aclTensor * self, const aclScalar *other), (ARG(self), ARG(other)));
#define SCALAR_FIRST(name, stem, formula, promise, self, other, dtypes, scalars, outs) \
    FORM(name, stem, formula, promise, formula_infer,                                  \
         (SCALAR(#self, &scalars), READ(#other, &dtypes), WRITTEN("out", &outs)),      \
         (const aclScalar *self, const aclTensor *other, aclTensor *out),              \
         (ARG(self), ARG(other), ARG(out)));

#endif
