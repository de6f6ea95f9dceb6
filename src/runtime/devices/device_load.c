/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adds up what processes say of a device: see device_load.h.
 */
#include "runtime/devices/device_load.h"

#include <stdlib.h>

#include "base/settings_peek.h"

static uint32_t percent(double part, double whole)
{
    double share = whole > 0 ? 100 * part / whole : 0;
    return share >= 100 ? 100 : (uint32_t)(share + 0.5);
}

void device_load_add_up(const struct device_user *users, size_t count, int32_t device,
                        struct device_load *load)
{
    const struct settings *settings;
    double busy = 0;
    *load = (struct device_load){0};
    if (settings_peek(&settings) == 0)
        load->memory_bytes = settings->memory_bytes;
    for (size_t i = 0; i < count; i++) {
        if ((users[i].devices >> device & 1) == 0)
            continue;
        busy += users[i].busy;
        load->live_bytes += users[i].live_bytes[device];
        if (users[i].memory_bytes[device] > load->memory_bytes)
            load->memory_bytes = users[i].memory_bytes[device];
    }
    load->memory_percent = percent((double)load->live_bytes, (double)load->memory_bytes);
    load->busy_percent = percent(busy, 1);
}

bool device_load_read(int32_t device, bool measures, struct device_load *load)
{
    struct device_user *users = (struct device_user *)malloc(DEVICE_USERS_MAX * sizeof *users);
    if (users == NULL)
        return false;
    size_t count = device_users_read(users, DEVICE_USERS_MAX);
    if (measures)
        device_users_measure(users, count);
    device_load_add_up(users, count, device, load);
    free(users);
    return true;
}
