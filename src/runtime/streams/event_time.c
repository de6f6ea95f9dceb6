/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * When events were reached.
 */
#include <stdint.h>

#include "acl/acl_rt.h"
#include "runtime/streams/recording.h"
#include "base/error.h"
#include "runtime/streams/event.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

static int read_timestamp(const char *api, const char *argument, aclrtEvent handle, uint64_t *ns)
{
    struct event *event;
    TRY(event_lock(api, argument, handle, &event));
    int status = capture_refuse_event(api, argument, event);
    enum event_state state = event->state;
    bool has_time = (event->flags & ACL_EVENT_TIME_LINE) != 0;
    *ns = event->timestamp_ns;
    pthread_mutex_unlock(&event->lock);
    TRY(status);
    if (state == EVENT_NEVER_RECORDED)
        return report_misuse(RULE_EVENT, ACL_ERROR_RT_INTERNAL_ERROR,
                             "%s: argument %s was never recorded; a recorded event is expected", api,
                             argument);
    if (!has_time)
        return report_misuse(
            RULE_EVENT, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
            "%s: argument %s has no flag ACL_EVENT_TIME_LINE; one with a timestamp is expected", api,
            argument);
    if (state == EVENT_PENDING || *ns == 0)
        return report_misuse(RULE_EVENT, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                             "%s: argument %s %s; an event that was reached is expected", api, argument,
                             state == EVENT_PENDING ? "is not complete yet"
                                                    : "was abandoned with its stream");
    return 0;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "ms", ms));
    uint64_t start, end;
    TRY(read_timestamp(__func__, "startEvent", startEvent, &start));
    TRY(read_timestamp(__func__, "endEvent", endEvent, &end));
    *ms = (float)((double)(int64_t)(end - start) / 1e6);
    return 0;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "timestamp", timestamp));
    uint64_t ns;
    TRY(read_timestamp(__func__, "event", event, &ns));
    *timestamp = ns / 1000;
    return 0;
}
