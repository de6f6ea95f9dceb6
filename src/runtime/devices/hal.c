/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the driver's interface (libascend_hal.so) that frameworks look for; no header declares them.
 */
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/error.h"

#pragma GCC visibility push(default)
int halGetAPIVersion(int *version);
int halGetDeviceInfo(uint32_t device, int32_t module, int32_t information, int64_t *value);
int halHostRegister(void *host, uint64_t bytes, uint32_t kind, uint32_t device, void **result);
int halHostUnregister(void *host, uint32_t device);
#pragma GCC visibility pop

/* The driver's own codes. */
enum { DRIVER_INVALID_VALUE = 3, DRIVER_NOT_SUPPORTED = 0xfffe };

/* The version of the interface, in the driver's way of counting (major, minor, patch: a byte each), of before
 * it could tell the frequencies of a device's clocks. */
enum { API_VERSION = 0x070000 };

int halGetAPIVersion(int *version)
{
    if (version == NULL) {
        fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
             "%s: version is NULL; a place for the result is expected", __func__);
        return DRIVER_INVALID_VALUE;
    }
    *version = API_VERSION;
    return 0;
}

/*
 * What is asked for are frequencies of counters, by which programs turn their own time stamps into times.
 * There are no such counters: who is refused takes a clock of the system.
 */
int halGetDeviceInfo(uint32_t device, int32_t module, int32_t information, int64_t *value)
{
    fail(ACL_ERROR_API_NOT_SUPPORT,
         "%s: there is no driver to ask about device %u (module %d, information %d); aclrtGetDeviceInfo is "
         "expected",
         __func__, device, (int)module, (int)information);
    if (value != NULL)
        *value = 0;
    return DRIVER_NOT_SUPPORTED;
}

/* Libraries that share memory between devices are linked with them, and have not been seen to call them. */
int halHostRegister(void *host, uint64_t bytes, uint32_t kind, uint32_t device, void **result)
{
    (void)host, (void)bytes, (void)kind, (void)result;
    fail(ACL_ERROR_API_NOT_SUPPORT,
         "%s: there is no driver to register memory with for device %u; aclrtHostRegister is expected",
         __func__, device);
    return DRIVER_NOT_SUPPORTED;
}

int halHostUnregister(void *host, uint32_t device)
{
    (void)host;
    fail(ACL_ERROR_API_NOT_SUPPORT,
         "%s: there is no driver that memory was registered with for device %u; aclrtHostUnregister is "
         "expected",
         __func__, device);
    return DRIVER_NOT_SUPPORTED;
}
