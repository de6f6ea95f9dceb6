/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What goes through a channel: a copy of a data set.
 */
#ifndef BELAY_RUNTIME_CHANNELS_MESSAGE_H
#define BELAY_RUNTIME_CHANNELS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_tdt.h"

struct message_item {
    acltdtTensorType type;
    aclDataType dtype;
    size_t rank;
    int64_t *dims; /* owned, NULL where rank is 0 */
    size_t bytes;
    void *data; /* owned, NULL where bytes is 0 */
};

struct message {
    struct message *next;
    size_t count;
    struct message_item item[];
};

/* An empty one for so many items; NULL where there is no memory. */
struct message *message_make(size_t count);

/* Fills in an item, which is empty, with copies; false where there is no memory. */
bool message_fill(struct message_item *item, acltdtTensorType type, aclDataType dtype, const int64_t *dims,
                  size_t rank, const void *data, size_t bytes);

/* With all that is in it; NULL is none. */
void message_free(struct message *message);

/* A copy of the data set; 0, 100000 or 200000 with a sentence. */
int dataset_copy(const char *api, const acltdtDataset *dataset, struct message **message);

/* 0 where the data set holds no items of the program's; otherwise 100000 with a sentence. */
int dataset_check_receiving(const char *api, const acltdtDataset *dataset);

/* What it had received ends, and the message becomes its items; it is the data set's then. Otherwise 100000 or
 * 200000 with a sentence, and it is still the caller's. */
int dataset_receive(const char *api, const acltdtDataset *dataset, struct message *message);

/*
 * The same for work in stream order. Takes the first message of the device's channel of that name. False where
 * there is none yet: the task of the calling thread is to be parked then, and goes on when one comes, the
 * channel ends or the device does. True with *message NULL: there is no such channel, or it has ended, or the
 * device's run has, in which the work was queued: *is_over says that.
 */
bool channel_take(int32_t device, uint64_t device_run, const char *name, struct message **message,
                  bool *is_over);

/* A device's run lasts until it is reset, or all are. */
uint64_t channel_device_run(int32_t device);

#endif
