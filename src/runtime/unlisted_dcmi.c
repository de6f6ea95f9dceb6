/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What clients of libdcmi.so, which looks after cards, ask for: that library forwards here, and no header
 * declares these functions. A card is a device here and has one chip, 0. What no processor is asked for
 * (power, temperature, buses) is answered by "not supported" rather than made up.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/devices/device_load.h"
#include "runtime/devices/device_use.h"
#include "base/settings_peek.h"

enum {
    INVALID_PARAMETER = -8001,
    MEMORY_FAILED = -8003,
    INNER_ERROR = -8005,
    DEVICE_NOT_EXIST = -8008,
    NOT_SUPPORTED = -8255,
};

/* The layouts are the callers'. */
struct chip_info {
    unsigned char type[32], name[32], version[32];
    uint32_t core_count;
    unsigned char npu_name[32];
};

struct hbm_info {
    unsigned long long size_mib;
    uint32_t frequency;
    unsigned long long used_mib;
    int32_t temperature;
    uint32_t bandwidth_rate;
};

struct multi_rate {
    uint32_t cube, vector, core, npu, reserved[8];
};

struct process_memory {
    int32_t process;
    unsigned long used_mib;
};

#pragma GCC visibility push(default)
int dcmi_init(void);
int dcmi_get_card_list(int *count, int *cards, int capacity);
int dcmi_get_card_num_list(int *count, int *cards, int capacity);
int dcmi_get_device_num_in_card(int card, int *count);
int dcmi_get_device_id_in_card(int card, int *device_id_max, int *mcu_id, int *cpu_id);
int dcmi_get_device_logic_id(int *logic_id, int card, int device);
int dcmi_get_device_chip_info_v2(int card, int device, struct chip_info *info);
int dcmi_get_device_health(int card, int device, uint32_t *health);
int dcmi_get_device_hbm_info(int card, int device, struct hbm_info *info);
int dcmi_get_device_utilization_rate(int card, int device, int kind, uint32_t *rate);
int dcmi_get_device_multi_utilization_rate(int card, int device, struct multi_rate *rate);
int dcmi_get_device_resource_info(int card, int device, struct process_memory *processes, int *count);
int dcmi_get_device_pcie_info_v2(int card, int device, void *info);
int dcmi_get_device_power_info(int card, int device, int *power);
int dcmi_get_device_temperature(int card, int device, int *temperature);
int dcmi_get_affinity_cpu_info_by_device_id(int card, int device, char *processors, int *bytes);
#pragma GCC visibility pop

/* 0, or what a card and a chip that do not exist are answered. */
static int check(int card, int device, const void *result)
{
    const struct settings *settings;
    if (settings_peek(&settings) != 0)
        return INNER_ERROR;
    if (result == NULL)
        return INVALID_PARAMETER;
    return card >= 0 && card < settings_all_device_count() && device == 0 ? 0 : DEVICE_NOT_EXIST;
}

int dcmi_init(void)
{
    const struct settings *settings;
    return settings_peek(&settings) == 0 ? 0 : INNER_ERROR;
}

int dcmi_get_card_list(int *count, int *cards, int capacity)
{
    int status = check(0, 0, count);
    if (status == INVALID_PARAMETER || status == INNER_ERROR)
        return status;
    if (cards == NULL || capacity < 0)
        return INVALID_PARAMETER;
    *count = settings_all_device_count() < capacity ? settings_all_device_count() : capacity;
    for (int i = 0; i < *count; i++)
        cards[i] = i;
    return 0;
}

int dcmi_get_card_num_list(int *count, int *cards, int capacity)
{
    return dcmi_get_card_list(count, cards, capacity);
}

int dcmi_get_device_num_in_card(int card, int *count)
{
    int status = check(card, 0, count);
    if (status == 0)
        *count = 1;
    return status;
}

/* -1: there is no such unit. */
int dcmi_get_device_id_in_card(int card, int *device_id_max, int *mcu_id, int *cpu_id)
{
    int status = check(card, 0, device_id_max);
    if (status != 0)
        return status;
    if (mcu_id == NULL || cpu_id == NULL)
        return INVALID_PARAMETER;
    *device_id_max = 1;
    *mcu_id = -1;
    *cpu_id = -1;
    return 0;
}

int dcmi_get_device_logic_id(int *logic_id, int card, int device)
{
    int status = check(card, device, logic_id);
    if (status == 0)
        *logic_id = card;
    return status;
}

int dcmi_get_device_chip_info_v2(int card, int device, struct chip_info *info)
{
    const struct settings *settings;
    int status = check(card, device, info);
    if (status != 0 || settings_peek(&settings) != 0)
        return status;
    static const char type[] = "Ascend", version[] = "V1";
    const char *name = settings->soc_name;
    *info = (struct chip_info){.core_count = settings->thread_count};
    name += strncmp(name, type, sizeof type - 1) == 0 ? sizeof type - 1 : 0;
    memcpy(info->type, type, sizeof type);
    memcpy(info->name, name, strnlen(name, sizeof info->name - 1));
    memcpy(info->version, version, sizeof version);
    memcpy(info->npu_name, name, strnlen(name, sizeof info->npu_name - 1));
    return 0;
}

int dcmi_get_device_health(int card, int device, uint32_t *health)
{
    int status = check(card, device, health);
    if (status == 0)
        *health = 0;
    return status;
}

int dcmi_get_device_hbm_info(int card, int device, struct hbm_info *info)
{
    struct device_load load;
    int status = check(card, device, info);
    if (status != 0)
        return status;
    if (!device_load_read(card, false, &load))
        return MEMORY_FAILED;
    *info =
        (struct hbm_info){.size_mib = load.memory_bytes >> 20, .used_mib = device_load_mib(load.live_bytes)};
    return 0;
}

/* Kinds: 2 and others of computing, 1 and 6 the memory, the rest what is never busy here. */
int dcmi_get_device_utilization_rate(int card, int device, int kind, uint32_t *rate)
{
    enum { MEMORY = 1, CORES = 2, HBM = 6, VECTOR = 12, NPU = 13 };
    struct device_load load;
    int status = check(card, device, rate);
    if (status != 0)
        return status;
    if (kind < 1 || kind > NPU)
        return INVALID_PARAMETER;
    bool computes = kind == CORES || kind == VECTOR || kind == NPU;
    if (!device_load_read(card, computes, &load))
        return MEMORY_FAILED;
    *rate = computes ? load.busy_percent : kind == MEMORY || kind == HBM ? load.memory_percent : 0;
    return 0;
}

int dcmi_get_device_multi_utilization_rate(int card, int device, struct multi_rate *rate)
{
    struct device_load load;
    int status = check(card, device, rate);
    if (status != 0)
        return status;
    if (!device_load_read(card, true, &load))
        return MEMORY_FAILED;
    *rate = (struct multi_rate){.cube = load.busy_percent,
                                .vector = load.busy_percent,
                                .core = load.busy_percent,
                                .npu = load.busy_percent};
    return 0;
}

/* *count is the room; what does not fit is left out. */
int dcmi_get_device_resource_info(int card, int device, struct process_memory *processes, int *count)
{
    int status = check(card, device, processes);
    if (status != 0)
        return status;
    if (count == NULL || *count < 0)
        return INVALID_PARAMETER;
    struct device_user *users = (struct device_user *)malloc(DEVICE_USERS_MAX * sizeof *users);
    if (users == NULL)
        return MEMORY_FAILED;
    size_t found = device_users_read(users, DEVICE_USERS_MAX);
    int written = 0;
    for (size_t i = 0; i < found && written < *count; i++)
        if (users[i].devices >> card & 1)
            processes[written++] = (struct process_memory){
                users[i].process, (unsigned long)device_load_mib(users[i].live_bytes[card])};
    *count = written;
    free(users);
    return 0;
}

static int refuse(int card, int device, const void *result)
{
    int status = check(card, device, result);
    return status != 0 ? status : NOT_SUPPORTED;
}

int dcmi_get_device_pcie_info_v2(int card, int device, void *info)
{
    return refuse(card, device, info);
}

int dcmi_get_device_power_info(int card, int device, int *power)
{
    return refuse(card, device, power);
}

int dcmi_get_device_temperature(int card, int device, int *temperature)
{
    return refuse(card, device, temperature);
}

int dcmi_get_affinity_cpu_info_by_device_id(int card, int device, char *processors, int *bytes)
{
    (void)bytes;
    return refuse(card, device, processors);
}
