/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The settings for functions that only tell of them.
 */
#ifndef BELAY_BASE_SETTINGS_PEEK_H
#define BELAY_BASE_SETTINGS_PEEK_H

#include "base/settings.h"

/*
 * settings_get, but no use of the library yet: a program may ask for versions, names and numbers of devices
 * and fork then, as nothing is left behind that its child would lack. The environment has been read all the
 * same.
 */
int settings_peek(const struct settings **settings) SHARED(settings_peek);

/*
 * How many devices there are before ASCEND_RT_VISIBLE_DEVICES hides some, and the number among those of a
 * device, which is one that is not hidden. After a successful settings_get or settings_peek.
 */
int32_t settings_all_device_count(void) SHARED(settings_all_device_count);
int32_t settings_visible_device(int32_t device);

/* The bit of the check with that name, in either spelling; 0: there is none. */
uint32_t settings_check_bit(const char *name, size_t length) SHARED(settings_check_bit);

#endif
