/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * InitData and GetNext, operators by name: the next data set of the channel that the attribute channel_name
 * names goes to the outputs, in stream order. Where none has been sent yet the stream waits.
 */
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "runtime/addresses/reach.h"
#include "runtime/channels/message.h"
#include "runtime/memory/memory_side.h"
#include "runtime/named/named_operator.h"
#include "runtime/named/op_attribute.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

struct place {
    void *address;
    size_t bytes;
    struct memory_side side;
};

/* What a task holds. */
struct next {
    int32_t device;
    uint64_t device_run;
    int count;
    char *name;
    struct place place[];
};

static struct next *next_of(const struct task *task)
{
    struct next *next;
    memcpy(&next, task->payload, sizeof next);
    return next;
}

static int refuse(const struct next *next, const char *what, size_t is, const char *of, size_t expected)
{
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "the data set of channel %.64s has %s%zu %s; %zu, as the output, are expected",
                          next->name, what, is, of, expected);
}

/* message: NULL where none will come. */
static int give(const struct next *next, const struct message *message, bool is_over)
{
    if (message == NULL && is_over)
        return operation_fail(
            ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
            "device %d was reset before anything was sent through channel %.64s; a data set "
            "for each GetNext is expected",
            (int)next->device, next->name);
    if (message == NULL)
        return operation_fail(
            ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
            "there is no channel %.64s on device %d, or it was stopped; a live one is expected", next->name,
            (int)next->device);
    if (message->count > 0 && message->item[0].type == ACL_TENSOR_DATA_END_OF_SEQUENCE)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "the data of channel %.64s have ended",
                              next->name);
    if (message->count != (size_t)next->count)
        return refuse(next, "", message->count, "items", (size_t)next->count);
    for (size_t i = 0; i < message->count; i++)
        if (message->item[i].bytes != next->place[i].bytes)
            return refuse(next, "an item of ", message->item[i].bytes, "bytes", next->place[i].bytes);
    for (size_t i = 0; i < message->count; i++)
        if (next->place[i].bytes > 0)
            memcpy(memory_reach(next->place[i].address), message->item[i].data, next->place[i].bytes);
    return 0;
}

static int run(struct task *task)
{
    const struct next *next = next_of(task);
    struct message *message;
    bool is_over;
    if (!channel_take(next->device, next->device_run, next->name, &message, &is_over)) {
        trace_wait_for("a message in channel %.64s", next->name);
        return TASK_PARKED;
    }
    const int status = give(next, message, is_over);
    if (status != 0)
        operation_failed("GetNext", status);
    message_free(message);
    return status;
}

static void release(struct task *task)
{
    struct next *next = next_of(task);
    free(next->name);
    free(next);
}

static bool is_current(const struct task *task)
{
    const struct next *next = next_of(task);
    for (int i = 0; i < next->count; i++)
        if (next->place[i].bytes > 0 &&
            !memory_side_is_current(next->place[i].address, next->place[i].bytes, &next->place[i].side))
            return false;
    return true;
}

static void describe(const struct task *task, struct access_visitor *visitor)
{
    const struct next *next = next_of(task);
    for (int i = 0; i < next->count; i++)
        if (next->place[i].bytes > 0)
            access_visit_bytes(visitor, "outputs", ACCESS_WRITTEN, next->place[i].address,
                               next->place[i].bytes);
}

static int find_name(const struct named_call *call, const char **name)
{
    *name = op_attribute_text(call->attr, "channel_name", "");
    return (*name)[0] != '\0'
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: %s has no attribute channel_name; the name of a channel is expected", call->api,
                      call->named->name);
}

static int find_places(const struct named_call *call, struct next *next)
{
    for (int i = 0; i < call->outputs; i++) {
        struct place *place = &next->place[i];
        *place = (struct place){.address = call->output[i].address, .bytes = call->output[i].view.bytes};
        if (place->bytes > 0)
            TRY(memory_side_find(call->api, "outputs", place->address, place->bytes, &place->side));
    }
    return 0;
}

static int queue(const struct named_call *call, aclrtStream stream, struct next *next)
{
    struct task task = {.run = run,
                        .release = release,
                        .is_current = is_current,
                        .describe = describe,
                        .cost_ns = TASK_NEVER_INLINE,
                        .runs_once = true};
    int status;
    do {
        TRY(find_places(call, next));
        memcpy(task.payload, &next, sizeof next);
        status = stream_submit(call->api, stream, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}

static int get_next(const struct named_call *call, aclrtStream stream)
{
    const char *name;
    int32_t device;
    TRY(find_name(call, &name));
    TRY(stream_device(call->api, stream, &device));
    struct next *next = malloc(sizeof *next + (size_t)call->outputs * sizeof next->place[0]);
    char *kept = strdup(name);
    int status = ACL_ERROR_BAD_ALLOC;
    if (next != NULL && kept != NULL) {
        *next = (struct next){
            .device = device, .device_run = channel_device_run(device), .count = call->outputs, .name = kept};
        status = queue(call, stream, next);
        if (status == 0)
            return 0;
    } else {
        fail(status, "%s: there is no memory for %d outputs", call->api, call->outputs);
    }
    free(kept);
    free(next);
    return status;
}

/* Channels are made by the host, and there is nothing else to begin with. */
static int init_data(const struct named_call *call, aclrtStream stream)
{
    const char *name;
    (void)stream;
    return find_name(call, &name);
}

static struct named_operator kinds[] = {
    {"InitData", 0, 0, 0, init_data, NULL, NULL},
    {"GetNext", 0, NAMED_LIST, 0, get_next, NULL, NULL},
};

__attribute__((constructor)) static void offer(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        named_operator_offer(&kinds[i]);
}
