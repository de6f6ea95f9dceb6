/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Captures, as the devices' ends ask for them; what queued work meets is in streams/recording.h.
 */
#ifndef BELAY_RUNTIME_CAPTURE_CAPTURE_H
#define BELAY_RUNTIME_CAPTURE_CAPTURE_H

#include <stdint.h>

#include "runtime/streams/recording.h"

/* 107027 where a stream of the device is captured and the mode forbids the thread to wait for all. */
int capture_refuse_device_wait(const char *api, int32_t device);

#endif
