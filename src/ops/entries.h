/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A function whose parameters stand in its definition, once: up to eight entries, which are those of a list of
 * ops/signature.h, in parentheses. For functions whose places nobody needs by name; others have such a list.
 *
 *     FUNCTION_WITH(aclnnReal, ((IN, self, &dtypes_floats_complex), (OUT, out, &dtypes_floats)),
 *                   .stem = "real", ...);
 */
#ifndef BELAY_OPS_ENTRIES_H
#define BELAY_OPS_ENTRIES_H

#include "ops/signature.h"

/* X(of, entry) for each of up to eight entries. */
#define ENTRIES(X, of, ...)                                                                                 \
    ENTRIES_NINTH(__VA_ARGS__, ENTRIES_8, ENTRIES_7, ENTRIES_6, ENTRIES_5, ENTRIES_4, ENTRIES_3, ENTRIES_2, \
                  ENTRIES_1, )                                                                              \
    (X, of, __VA_ARGS__)
#define ENTRIES_NINTH(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define ENTRIES_1(X, of, a)                               ENTRY_OF(X, of, UNWRAP a)
#define ENTRIES_2(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_1(X, of, __VA_ARGS__)
#define ENTRIES_3(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_2(X, of, __VA_ARGS__)
#define ENTRIES_4(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_3(X, of, __VA_ARGS__)
#define ENTRIES_5(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_4(X, of, __VA_ARGS__)
#define ENTRIES_6(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_5(X, of, __VA_ARGS__)
#define ENTRIES_7(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_6(X, of, __VA_ARGS__)
#define ENTRIES_8(X, of, a, ...)                          ENTRY_OF(X, of, UNWRAP a) ENTRIES_7(X, of, __VA_ARGS__)
#define ENTRY_OF(X, of, ...)                              X(of, __VA_ARGS__)

#define FUNCTION_WITH(api, entries, ...)                                                                \
    static const struct parameter api##_parameters[] = {ENTRIES(SIGNATURE_ENTRY, api, UNWRAP entries)}; \
    FUNCTION(api, (SIGNATURE_DECLARATIONS(ENTRIES(SIGNATURE_DECLARATION, api, UNWRAP entries))),        \
             (ENTRIES(SIGNATURE_ARGUMENT, api, UNWRAP entries)), PARAMETERS(api##_parameters), __VA_ARGS__)

#endif
