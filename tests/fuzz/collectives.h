/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The communicators of the two devices, for the step with collectives.
 */
#ifndef BELAY_TESTS_FUZZ_COLLECTIVES_H
#define BELAY_TESTS_FUZZ_COLLECTIVES_H

#include "fuzz/world.h"
#include "hccl/hccl.h"

/* Made for both devices, after some calls that make none. */
void make_communicators(struct world *world, HcclComm comms[2]);

/* What they answer; a communicator that has failed makes no other. */
void ask_communicators(struct world *world, const HcclComm comms[2], bool is_well);

/* Their handles are stale afterwards. */
void end_communicators(struct world *world, const HcclComm comms[2]);

#endif
