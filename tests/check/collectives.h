// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// What the programs of collectives.cpp and collectives_order.cpp have in common: two ranks of one process.
#ifndef BELAY_CHECK_COLLECTIVES_H
#define BELAY_CHECK_COLLECTIVES_H

#include <cstdint>

#include "must.h"
#include "hccl/hccl.h"

namespace collectives
{

constexpr uint64_t COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(float);

extern bool mended;
extern HcclComm comms[2];
extern aclrtStream streams[2], other; // other is of device 0
extern void *buffers[2];              // BYTES each

void open_ranks(bool is_filled);
void all_reduce(int rank);
void wait_for_all();
void close_ranks();

// Programs with one mistake each, or without when mended.
void work_behind_a_barrier();
void work_behind_a_message();
void work_behind_a_broadcast();
void work_behind_a_reduction();
void called_the_other_way_round();
void another_stream_meanwhile();
void host_behind_no_barrier();
void threads_in_any_order();
void destroyed_first();
void sent_from_a_gap();
void read_from_a_gap();
void set_in_a_gap();
void own_part_in_place();

} // namespace collectives

#endif
