/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who records streams, and how many recordings are open.
 */
#include "runtime/streams/recording.h"

const struct recording *recording;
_Atomic uint32_t captures_open;
