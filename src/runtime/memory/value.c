/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers in device memory by which streams, and devices and the host, wait for one another: written and
 * waited for in stream order.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "runtime/memory/copy.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/memory/memory_side.h"
#include "runtime/addresses/reach.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

/* How often a stream looks at what it waits for: each time is half as rare as the last, within these. */
enum { LOOK_FIRST_NS = 20000, LOOK_LAST_NS = 1000000 };

struct value {
    struct value_place {
        _Atomic uint64_t *address;
        struct memory_side side;
    } place; /* first */
    uint64_t number;
    uint32_t condition;
    uint32_t look_ns;
};

/* Looks at the place alone: a recorded wait may be running, which changes the rest. */
static bool is_current(const struct task *task)
{
    struct value_place place;
    memcpy(&place, task->payload, sizeof place);
    return memory_side_is_current(place.address, sizeof(uint64_t), &place.side);
}

static void set_look_ns(struct task *task, uint32_t look_ns)
{
    memcpy(task->payload + offsetof(struct value, look_ns), &look_ns, sizeof look_ns);
}

static _Atomic uint64_t *reach(const struct value *value)
{
    return (_Atomic uint64_t *)memory_reach((const void *)value->place.address);
}

static int run_write(struct task *task)
{
    struct value value;
    memcpy(&value, task->payload, sizeof value);
    atomic_store_explicit(reach(&value), value.number, memory_order_release);
    return 0;
}

static void describe_write(const struct task *task, struct access_visitor *visitor)
{
    struct value value;
    memcpy(&value, task->payload, sizeof value);
    access_visit_bytes(visitor, "devAddr", ACCESS_WRITTEN | ACCESS_SYNCHRONISES, value.place.address,
                       sizeof(uint64_t));
}

static void describe_wait(const struct task *task, struct access_visitor *visitor)
{
    struct value value;
    memcpy(&value, task->payload, sizeof value);
    access_visit_bytes(visitor, "devAddr", ACCESS_READ | ACCESS_SYNCHRONISES, value.place.address,
                       sizeof(uint64_t));
}

static bool is_met(uint32_t condition, uint64_t found, uint64_t number)
{
    switch (condition) {
    case ACL_STREAM_WAIT_VALUE_GEQ:
        return (int64_t)(found - number) >= 0; /* numbers may go round */
    case ACL_STREAM_WAIT_VALUE_EQ:
        return found == number;
    case ACL_STREAM_WAIT_VALUE_AND:
        return (found & number) != 0;
    default:
        return (~(found | number)) != 0;
    }
}

/* No thread waits with the stream: it is looked at again after a while. */
static int run_wait(struct task *task)
{
    struct value value;
    memcpy(&value, task->payload, sizeof value);
    stream_takes_timeout();
    if (is_met(value.condition, atomic_load_explicit(reach(&value), memory_order_acquire), value.number)) {
        set_look_ns(task, LOOK_FIRST_NS); /* for the next run of a recorded wait */
        return 0;
    }
    static const char *const conditions[] = {
        [ACL_STREAM_WAIT_VALUE_GEQ] = "be at least",
        [ACL_STREAM_WAIT_VALUE_EQ] = "be",
        [ACL_STREAM_WAIT_VALUE_AND] = "have a bit of",
        [ACL_STREAM_WAIT_VALUE_NOR] = "lack a bit that this lacks, too:",
    };
    trace_wait_for("the number at %p to %s %llu", (void *)value.place.address, conditions[value.condition],
                   (unsigned long long)value.number);
    stream_rest_until(clock_after_ns(value.look_ns));
    set_look_ns(task, value.look_ns < LOOK_LAST_NS / 2 ? value.look_ns * 2 : LOOK_LAST_NS);
    return TASK_PARKED;
}

/* The address is device memory, of eight bytes at a multiple of eight. */
static int find_side(const char *api, void *address, struct memory_side *side)
{
    TRY(memory_side_find(api, "devAddr", address, sizeof(uint64_t), side));
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (side->place == MEMORY_DEVICE || side->is_mapped || settings->host_pointers_allowed)
        return 0;
    return report_misuse(RULE_PLACE, ACL_ERROR_RT_PARAM_INVALID,
                         "%s: devAddr %p is no device memory; 8 bytes of it are expected", api, address);
}

static int submit(const char *api, void *address, const struct value *wanted, struct task *task,
                  aclrtStream stream)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (address == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: devAddr is NULL; an address is expected",
                    api);
    if ((uintptr_t)address % sizeof(uint64_t) != 0)
        return report_misuse(RULE_ALIGNMENT, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: devAddr %p is no multiple of 8; an aligned number of 64 bits is expected",
                             api, address);
    int32_t device;
    TRY(stream_device(api, stream, &device));
    struct value value = *wanted;
    value.place.address = (_Atomic uint64_t *)address;
    int status;
    do {
        TRY(find_side(api, address, &value.place.side));
        memcpy(task->payload, &value, sizeof value);
        status = stream_submit(api, stream, task);
    } while (status == STREAM_OUTDATED);
    return status;
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (flag != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtValueWrite: flag is %u; 0 is expected", flag);
    struct value wanted = {.number = value};
    struct task task = {
        .run = run_write, .is_current = is_current, .describe = describe_write, .cost_ns = copy_cost_ns(8)};
    return submit("aclrtValueWrite", devAddr, &wanted, &task, stream);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (flag > ACL_STREAM_WAIT_VALUE_NOR)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtValueWait: flag is %u; ACL_STREAM_WAIT_VALUE_GEQ (0) to ACL_STREAM_WAIT_VALUE_NOR "
                    "(3) is expected",
                    flag);
    struct value wanted = {.number = value, .condition = flag, .look_ns = LOOK_FIRST_NS};
    struct task task = {
        .run = run_wait, .is_current = is_current, .describe = describe_wait, .cost_ns = TASK_NEVER_INLINE};
    return submit("aclrtValueWait", devAddr, &wanted, &task, stream);
}
