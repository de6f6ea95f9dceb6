/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work behind a held stream is queued.
 */
#ifndef BELAY_TESTS_NUMERICS_HOLD_H
#define BELAY_TESTS_NUMERICS_HOLD_H

#include "acl/acl_rt.h"

int hold_stream(aclrtStream stream);
void let_stream_go(void);

#endif
