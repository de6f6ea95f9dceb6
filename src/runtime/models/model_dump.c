/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dumps of what operators compute. None are made: frameworks call these where a user asks for dumps, and the
 * program is to run all the same, with a line in the log that says why there are no files.
 */
#include "acl/acl_mdl.h"
#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"

static int tell(const char *api)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (log_wants(LOG_MODULE_ASCENDCL, LOG_WARNING))
        log_line(LOG_MODULE_ASCENDCL, LOG_WARNING, __FILE__, __LINE__,
                 "%s: there are no dumps of operators in this library; the call has no effect", api);
    return 0;
}

aclError aclmdlInitDump(void)
{
    return tell(__func__);
}

aclError aclmdlSetDump(const char *configPath)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (configPath == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: configPath is NULL; the path of a file is expected", __func__);
    return tell(__func__);
}

aclError aclmdlFinalizeDump(void)
{
    return tell(__func__);
}
