/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtCmoAsync: hints about the caches of a device. The caches of this machine keep themselves in order, so
 * that a correct hint has no effect.
 */
#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (src == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclrtCmoAsync: src is NULL; an address is expected");
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtCmoAsync: size is 0; at least 1 byte is expected");
    if ((int)cmoType < ACL_RT_CMO_TYPE_PREFETCH || (int)cmoType > ACL_RT_CMO_TYPE_FLUSH)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtCmoAsync: cmoType is %d; ACL_RT_CMO_TYPE_PREFETCH (0) to ACL_RT_CMO_TYPE_FLUSH (3) "
                    "is expected",
                    (int)cmoType);
    int32_t device;
    return stream_device("aclrtCmoAsync", stream, &device);
}
