/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libhccl.so: the settings of collectives, which frameworks make before they know whether there will be any.
 * No header declares these functions. The settings are kept, and there is nothing that they act on.
 */
#include <stdatomic.h>
#include <stdint.h>

typedef enum HcclResult { HCCL_SUCCESS = 0, HCCL_E_PARA = 1, HCCL_E_PTR = 2 } HcclResult;
typedef enum HcclConfig { HCCL_DETERMINISTIC = 0, HCCL_ACCELERATOR = 1 } HcclConfig;
typedef union HcclConfigValue {
    int32_t value;
} HcclConfigValue;

#pragma GCC visibility push(default)
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue value);
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *value);
#pragma GCC visibility pop

static _Atomic int32_t deterministic; /* 0 to 2 */

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue value)
{
    if (config != HCCL_DETERMINISTIC || value.value < 0 || value.value > 2)
        return HCCL_E_PARA;
    atomic_store_explicit(&deterministic, value.value, memory_order_relaxed);
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *value)
{
    if (value == 0)
        return HCCL_E_PTR;
    if (config != HCCL_DETERMINISTIC)
        return HCCL_E_PARA;
    value->value = atomic_load_explicit(&deterministic, memory_order_relaxed);
    return HCCL_SUCCESS;
}
