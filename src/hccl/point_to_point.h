/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Messages between two ranks, one or many of them as one piece of work.
 */
#ifndef BELAY_HCCL_POINT_TO_POINT_H
#define BELAY_HCCL_POINT_TO_POINT_H

#include "hccl/work.h"

/* What is wrong with an item for this communicator: a sentence that api opens, or HCCL_SUCCESS. */
HcclResult batch_check_item(const char *api, const struct communicator *communicator,
                            const HcclSendRecvItem *item);

/* Numbers the items, of which there is one at least, and queues them as one piece of work. Takes the caller's
 * reference to the communicator over. */
HcclResult batch_submit(const char *api, struct communicator *communicator, const HcclSendRecvItem *item,
                        uint32_t item_count, aclrtStream stream);

#endif
