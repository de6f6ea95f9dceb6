/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclopSetModelDir: frameworks name a folder of operator models at start-up, also when they then call aclnn
 * operators alone. There are no models to load here, so the name is accepted and forgotten.
 */
#include <stddef.h>

#include "acl/acl_op.h"
#include "base/error.h"
#include "base/settings.h"

aclError aclopSetModelDir(const char *modelDir)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (modelDir == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclopSetModelDir: modelDir is NULL; the name of a folder is expected");
    return ACL_SUCCESS;
}
