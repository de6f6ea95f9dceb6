/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether an event is complete, for those who do not wait for it.
 */
#include <stdint.h>

#include "acl/acl_rt.h"
#include "base/order.h"
#include "base/watch.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "runtime/streams/event.h"
#include "runtime/streams/event_shared.h"
#include "base/report.h"
#include "runtime/timeline/trace.h"

/* What the three ways to ask are about. */
struct event_view {
    enum event_state state;
    bool is_reusable;
    bool has_open_waits;
};

static int view_event(const char *api, aclrtEvent handle, const void *result, struct event_view *view)
{
    struct event *event;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "status", result));
    streams_start_queued();
    TRY(event_lock(api, "event", handle, &event));
    int status = capture_refuse_event(api, "event", event);
    uint64_t number;
    *view = (struct event_view){event->state, event->is_reusable, event->open_waits > 0};
    if (event_share_pending(&event->share, &number) != NULL)
        view->state = EVENT_PENDING;
    if (event->state == EVENT_COMPLETE)
        watch_event(EVENT_HAS_COMPLETED, event, 0);
    pthread_mutex_unlock(&event->lock);
    return status;
}

static int refuse_reusable(const char *api)
{
    return report_misuse(
        RULE_EVENT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "%s: argument event was made by aclrtCreateEventExWithFlag; one of aclrtCreateEvent or "
        "aclrtCreateEventWithFlag, or aclrtQueryEventStatus, is expected",
        api);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    TRACE_THIS_CALL;
    struct event_view view;
    TRY(view_event(__func__, event, status, &view));
    if (view.is_reusable)
        return refuse_reusable(__func__);
    *status = view.state == EVENT_PENDING ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
    if (view.state != EVENT_PENDING)
        order_waited();
    return 0;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    TRACE_THIS_CALL;
    struct event_view view;
    TRY(view_event(__func__, event, status, &view));
    bool is_complete =
        view.state == EVENT_COMPLETE || (view.state == EVENT_NEVER_RECORDED && view.is_reusable);
    *status = is_complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    if (is_complete)
        order_waited();
    return 0;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    TRACE_THIS_CALL;
    struct event_view view;
    TRY(view_event(__func__, event, status, &view));
    if (view.is_reusable)
        return refuse_reusable(__func__);
    *status = view.state == EVENT_PENDING || view.has_open_waits ? ACL_EVENT_WAIT_STATUS_NOT_READY
                                                                 : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return 0;
}
