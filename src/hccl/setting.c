/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The settings of collectives, which frameworks make before they know whether there will be any. They are
 * kept, and there is nothing that they act on: results are the same with all of them.
 */
#include <stdatomic.h>

#include "hccl/communicator.h"
#include "runtime/timeline/trace.h"

static _Atomic int32_t deterministic; /* 0 to 2 */

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
    TRACE_THIS_CALL;
    HcclResult usable = communicator_check_process();
    if (usable != HCCL_SUCCESS)
        return usable;
    if (config != HCCL_DETERMINISTIC || configValue.value < 0 || configValue.value > 2)
        return (HcclResult)fail(
            HCCL_E_PARA,
            "%s: argument config is %d with the value %d; HCCL_DETERMINISTIC (0) with 0 to 2 is expected",
            __func__, (int)config, (int)configValue.value);
    atomic_store_explicit(&deterministic, configValue.value, memory_order_relaxed);
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
    TRACE_THIS_CALL;
    HcclResult usable = communicator_check_process();
    if (usable != HCCL_SUCCESS)
        return usable;
    if (configValue == NULL)
        return (HcclResult)fail(
            HCCL_E_PTR, "%s: argument configValue is NULL; a place for the value is expected", __func__);
    if (config != HCCL_DETERMINISTIC)
        return (HcclResult)fail(HCCL_E_PARA, "%s: argument config is %d; HCCL_DETERMINISTIC (0) is expected",
                                __func__, (int)config);
    configValue->value = atomic_load_explicit(&deterministic, memory_order_relaxed);
    return HCCL_SUCCESS;
}
