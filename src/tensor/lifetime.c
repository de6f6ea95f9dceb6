/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInit and aclnnFinalize: nothing of the operators needs them, so they neither open nor close anything.
 */
#include "tensor/lifetime.h"

#include "aclnn/aclnn_base.h"
#include "base/settings.h"

aclnnStatus lifetime_check(void)
{
    const struct settings *settings;
    return settings_get(&settings) == 0 ? ACLNN_SUCCESS : ACLNN_ERR_RUNTIME_ERROR;
}

/* A file that is missing or malformed is ignored, as on the device; what it could ask for does not exist
 * here. */
aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return lifetime_check();
}

/* Objects outlive it: programs call it before their destructors run. */
aclnnStatus aclnnFinalize(void)
{
    return lifetime_check();
}
