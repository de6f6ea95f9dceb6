/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Options of the process. They are kept and handed back; results here are the same bits whatever they say.
 */
#include <stdatomic.h>

#include "acl/acl_rt.h"
#include "runtime/error.h"
#include "runtime/settings.h"

enum { OPTIONS = ACL_OPT_ENABLE_KERNEL_EARLY_START + 1 };

static _Atomic int64_t values[OPTIONS];
static _Atomic bool is_set[OPTIONS]; /* the value was written before */

static int check_option(const char *function, aclSysParamOpt opt)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if ((int)opt < ACL_OPT_DETERMINISTIC || (int)opt > ACL_OPT_ENABLE_KERNEL_EARLY_START)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: opt is %d; ACL_OPT_DETERMINISTIC (0) to ACL_OPT_ENABLE_KERNEL_EARLY_START (3) is expected",
            function, (int)opt);
    return 0;
}

static int check_value(const char *function, aclSysParamOpt opt, int64_t value)
{
    if (opt == ACL_OPT_DETERMINISTIC && value != 0 && value != 1)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: value is %lld; 0 or 1 is expected for ACL_OPT_DETERMINISTIC", function,
                    (long long)value);
    return 0;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    TRY(check_option("aclrtSetSysParamOpt", opt));
    TRY(check_value("aclrtSetSysParamOpt", opt, value));
    atomic_store_explicit(&values[opt], value, memory_order_relaxed);
    atomic_store_explicit(&is_set[opt], true, memory_order_release);
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (value == NULL)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclrtGetSysParamOpt: value is NULL; the address of a number is expected");
    TRY(check_option("aclrtGetSysParamOpt", opt));
    if (!atomic_load_explicit(&is_set[opt], memory_order_acquire))
        return fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                    "aclrtGetSysParamOpt: opt %d has no value; aclrtSetSysParamOpt is expected first",
                    (int)opt);
    *value = atomic_load_explicit(&values[opt], memory_order_relaxed);
    return ACL_SUCCESS;
}
