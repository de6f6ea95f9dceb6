/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Options of the process and of contexts. They are kept and handed back; results here are the same bits
 * whatever they say.
 */
#include <stdatomic.h>

#include "acl/acl_rt.h"
#include "runtime/devices/context.h"
#include "base/error.h"
#include "base/settings.h"

_Static_assert(OPTIONS == ACL_OPT_ENABLE_KERNEL_EARLY_START + 1, "one for each enumerator");

static struct options of_process;

static int check_option(const char *api, aclSysParamOpt opt)
{
    if ((int)opt >= 0 && (int)opt < OPTIONS)
        return 0;
    return fail(
        ACL_ERROR_RT_PARAM_INVALID,
        "%s: opt is %d; ACL_OPT_DETERMINISTIC (0) to ACL_OPT_ENABLE_KERNEL_EARLY_START (3) is expected", api,
        (int)opt);
}

static int check_set(const char *api, aclSysParamOpt opt, int64_t value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_option(api, opt));
    if (opt == ACL_OPT_DETERMINISTIC && value != 0 && value != 1)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: value is %lld; 0 or 1 is expected for ACL_OPT_DETERMINISTIC", api, (long long)value);
    return 0;
}

static int check_get(const char *api, aclSysParamOpt opt, const int64_t *value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "value", value));
    return check_option(api, opt);
}

static void set(struct options *options, aclSysParamOpt opt, int64_t value)
{
    atomic_store_explicit(&options->value[opt], value, memory_order_relaxed);
}

/* What was never set is 0: clients ask before they set, and stop where that fails. */
static int64_t get(const struct options *options, aclSysParamOpt opt)
{
    return atomic_load_explicit(&options->value[opt], memory_order_relaxed);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    TRY(check_set(__func__, opt, value));
    set(&of_process, opt, value);
    return 0;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    TRY(check_get(__func__, opt, value));
    *value = get(&of_process, opt);
    return 0;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    struct context *context;
    TRY(check_set(__func__, opt, value));
    TRY(context_current(__func__, &context));
    set(&context->options, opt, value);
    return 0;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    struct context *context;
    TRY(check_get(__func__, opt, value));
    TRY(context_current(__func__, &context));
    *value = get(&context->options, opt);
    return 0;
}
