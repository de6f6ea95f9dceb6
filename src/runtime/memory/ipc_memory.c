/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The checks of aclrtIpcMemGetExportKey and its relatives.
 */
#include <inttypes.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/settings.h"
#include "runtime/memory/shared_memory.h"
#include "runtime/timeline/trace.h"

static int check_pointer(const char *api, const char *argument, const void *pointer)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return pointer != NULL ? 0
                           : fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                  "%s: argument %s is NULL; %s is "
                                  "expected",
                                  api, argument, argument[0] == 'd' ? "an address" : "memory for it");
}

static int check_flag(const char *api, uint64_t flag)
{
    return flag <= 1 ? 0
                     : fail(ACL_ERROR_INVALID_PARAM, "%s: argument flag is %" PRIu64 "; 0 or 1 is expected",
                            api, flag);
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flag)
{
    TRACE_THIS_CALL;
    TRY(check_pointer(__func__, "devPtr", devPtr));
    TRY(check_pointer(__func__, "key", key));
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: argument size is 0; at least 1 byte is expected", __func__);
    if (len < SHARED_KEY_BYTES)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument len is %zu; %d, which a key takes with the 0 behind it, are expected",
                    __func__, len, SHARED_KEY_BYTES);
    TRY(check_flag(__func__, flag));
    return shared_memory_export(__func__, devPtr, size, flag == ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT, key);
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    TRACE_THIS_CALL;
    TRY(check_pointer(__func__, "key", key));
    TRY(check_pointer(__func__, "pid", pid));
    if (num == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: argument num is 0; at least one process is expected",
                    __func__);
    return shared_memory_allow(__func__, key, pid, num);
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flag)
{
    TRACE_THIS_CALL;
    TRY(check_pointer(__func__, "devPtr", (const void *)devPtr));
    TRY(check_pointer(__func__, "key", key));
    TRY(check_flag(__func__, flag));
    return shared_memory_import(__func__, key, devPtr);
}

aclError aclrtIpcMemClose(const char *key)
{
    TRACE_THIS_CALL;
    TRY(check_pointer(__func__, "key", key));
    return shared_memory_close(__func__, key);
}
