/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work that waits for what lies outside of this process, and must not hold up the end of a device for ever.
 */
#ifndef BELAY_RUNTIME_STREAMS_CEASING_H
#define BELAY_RUNTIME_STREAMS_CEASING_H

#include <stdint.h>

#include "base/export.h"

/*
 * Has the function called before the work of a device is waited for because the device is reset, or that of
 * all (-1) because of aclFinalize. It sees to it that work which waits for others ends. There is room for one
 * function of each library, and giving one again changes nothing; no lock of the runtime is held when it is
 * called.
 */
void device_before_end(void (*function)(int32_t device)) SHARED(device_before_end);

/* Calls all that there are. */
void device_end_what_waits(int32_t device);

#endif
