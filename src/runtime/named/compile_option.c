/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Options of the operator compiler, of the process. There is no such compiler here, so they are kept, given
 * back and otherwise without effect; frameworks set and read them at start-up and stop where that fails.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "runtime/named/compile_option.h"
#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"

enum { OPTION_COUNT = ACL_OP_DEBUG_OPTION + 1, VALUE_MAX = 4095 };

/* lock guards the values; NULL is none. They stay until the process ends or they are set again. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *values[OPTION_COUNT];

/* ACL_OP_JIT_COMPILE was set to "enable". torch_npu sets it back around each operator, so that the value
 * tells nothing. */
static _Atomic bool was_compiling;

const char *compile_option_advice(void)
{
    return atomic_load_explicit(&was_compiling, memory_order_relaxed)
               ? ", and jit_compile asked for it: set_compile_mode(jit_compile=False) is expected"
               : "";
}

static int check_option(const char *api, aclCompileOpt opt)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if ((int)opt >= 0 && (int)opt < OPTION_COUNT)
        return 0;
    return fail(ACL_ERROR_INVALID_PARAM,
                "%s: opt is %d; ACL_PRECISION_MODE (0) to ACL_OP_DEBUG_OPTION (16) is expected", api,
                (int)opt);
}

/* Lock held. What is compiled in needs no compiling while the program runs. */
static const char *value_of(aclCompileOpt opt)
{
    if (values[opt] == NULL && opt == ACL_OP_JIT_COMPILE)
        return "disable";
    return values[opt];
}

/* Results are the same whatever they say; who looks for a reason should find that they were set. */
static void tell(aclCompileOpt opt, const char *value)
{
    if ((opt == ACL_OP_DETERMINISTIC || opt == ACL_OP_JIT_COMPILE) &&
        log_wants(LOG_MODULE_ASCENDCL, LOG_INFO))
        log_line(LOG_MODULE_ASCENDCL, LOG_INFO, __FILE__, __LINE__,
                 "aclSetCompileopt: %s is '%.64s', which is kept and has no effect",
                 opt == ACL_OP_JIT_COMPILE ? "ACL_OP_JIT_COMPILE" : "ACL_OP_DETERMINISTIC", value);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    TRY(check_option("aclSetCompileopt", opt));
    if (value == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclSetCompileopt: value is NULL; a text is expected");
    size_t length = strnlen(value, VALUE_MAX + 1);
    if (length > VALUE_MAX)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclSetCompileopt: value has more than %d bytes; at most that is expected", VALUE_MAX);
    char *copy = (char *)malloc(length + 1);
    if (copy == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "aclSetCompileopt: there is no memory for a value of %zu bytes",
                    length);
    memcpy(copy, value, length);
    copy[length] = '\0';
    tell(opt, copy);
    if (opt == ACL_OP_JIT_COMPILE && strcmp(copy, "enable") == 0)
        atomic_store_explicit(&was_compiling, true, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    char *old = values[opt];
    values[opt] = copy;
    pthread_mutex_unlock(&lock);
    free(old);
    return 0;
}

size_t aclGetCompileoptSize(aclCompileOpt opt)
{
    if (check_option("aclGetCompileoptSize", opt) != 0)
        return 0;
    pthread_mutex_lock(&lock);
    const char *value = value_of(opt);
    size_t size = value != NULL ? strlen(value) + 1 : 0;
    pthread_mutex_unlock(&lock);
    return size;
}

aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length)
{
    TRY(check_option("aclGetCompileopt", opt));
    TRY(check_result("aclGetCompileopt", "value", value));
    pthread_mutex_lock(&lock);
    const char *kept = value_of(opt);
    size_t size = kept != NULL ? strlen(kept) + 1 : 0;
    if (size != 0 && size <= length)
        memcpy(value, kept, size);
    pthread_mutex_unlock(&lock);
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "aclGetCompileopt: opt %d has no value; it must be set before",
                    (int)opt);
    if (size > length)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetCompileopt: length is %zu; %zu, what aclGetCompileoptSize says, is expected",
                    length, size);
    return 0;
}
