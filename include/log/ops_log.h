/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Messages of op_host. Errors become the end of the sentence of the call that fails; the others say nothing. The first
 * argument is a name or a context.
 */
#ifndef LOG_OPS_LOG_H
#define LOG_OPS_LOG_H

#include <cstdarg>
#include <cstdio>

#include "register/belay_sentence.h"

#define OPS_LOG_D(...)                       ((void)0)
#define OPS_LOG_I(...)                       ((void)0)
#define OPS_LOG_W(...)                       ((void)0)
#define OPS_LOG_E(of, ...)                   ((void)(of), ::belay_operators_host::say(__VA_ARGS__))
#define OPS_LOG_E_WITHOUT_REPORT(of, ...)    OPS_LOG_E(of, __VA_ARGS__)
#define OPS_REPORT_VECTOR_INNER_ERR(of, ...) OPS_LOG_E(of, __VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(of, ...)   OPS_LOG_E(of, __VA_ARGS__)

#define OPS_CHECK(condition, log, action) \
    do {                                  \
        if (condition) {                  \
            log;                          \
            action;                       \
        }                                 \
    } while (0)
#define OP_CHECK(condition, log, action) OPS_CHECK(condition, log, action)
#define OPS_LOG_E_IF_NULL(of, pointer, action)        \
    do {                                              \
        if ((pointer) == nullptr) {                   \
            OPS_LOG_E(of, "%s is nullptr", #pointer); \
            action;                                   \
        }                                             \
    } while (0)

#endif
