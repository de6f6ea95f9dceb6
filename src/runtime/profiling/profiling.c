/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclprofInit to aclprofFinalize: a program profiles itself. What is collected is the timeline of
 * docs/trace.md, from aclprofStart to aclprofStop, in a folder of its own (profile_folder.h), which
 * `msprof --export=on` makes the tables of. Where `belay trace` records anyway the folder gets a copy.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "base/cancellation.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "runtime/profiling/profile_folder.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"
#include "runtime/timeline/trace_target.h"

struct config {
    struct handle_slot slot;
    uint64_t devices; /* one bit each; like the others guarded by lock */
    uint64_t data;    /* ACL_PROF_ bits */
    uint32_t metrics;
};

static struct handle_table configs = HANDLE_TABLE(HANDLE_PROFILE_CONFIG, struct config, (1u << 16));

/* Guards everything below it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *result_path; /* NULL: not initialised */
static uint64_t running;  /* the handle of the configuration that collects; 0: none */
static uint64_t running_devices;
static bool has_own_file; /* the timeline is recorded for the profile alone */
static char folder[PATH_MAX];

static int find_config(const char *api, const aclprofConfig *handle, struct config **config)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    *config = (struct config *)handle_find(&configs, (uintptr_t)handle);
    return *config != NULL ? 0
                           : handle_refuse(api, "profilerConfig", "a configuration of aclprofCreateConfig is",
                                           &configs, handle);
}

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (profilerResultPath == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: profilerResultPath is NULL; the folder for results is expected", __func__);
    if (length == 0 || length >= PATH_MAX || strnlen(profilerResultPath, length) != length)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: length is %zu; that of profilerResultPath, from 1 to %d, is expected", __func__,
                    length, PATH_MAX - 1);
    pthread_mutex_lock(&lock);
    bool is_first = result_path == NULL;
    if (is_first)
        result_path = strndup(profilerResultPath, length);
    bool has_memory = result_path != NULL;
    pthread_mutex_unlock(&lock);
    if (!is_first)
        return fail(ACL_ERROR_REPEAT_INITIALIZE,
                    "%s: profiling is initialised already; aclprofFinalize is expected before", __func__);
    return has_memory ? 0 : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for the path", __func__);
}

/* Everything is collected whatever is asked for; types of later toolkits, beyond the list, are taken, too. */
aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if ((int)configType <= ACL_PROF_ARGS_MIN)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: configType is %d; one of aclprofConfigType is expected",
                    __func__, (int)configType);
    if (config == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: config is NULL; the text of the setting is expected", __func__);
    if (configLength == 0 || configLength >= PATH_MAX || strnlen(config, configLength) != configLength)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: configLength is %zu; that of config, from 1 to %d, is expected", __func__,
                    configLength, PATH_MAX - 1);
    return 0;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig)
{
    const struct settings *settings;
    uint64_t devices = 0;
    if (settings_get(&settings) != 0)
        return NULL;
    if (deviceNums > DEVICES_MAX || (deviceNums > 0 && deviceIdList == NULL)) {
        fail(ACL_ERROR_INVALID_PARAM,
             "%s: deviceNums is %" PRIu32 "%s; at most %d devices and their list are expected", __func__,
             deviceNums, deviceIdList == NULL ? " and deviceIdList NULL" : "", DEVICES_MAX);
        return NULL;
    }
    for (uint32_t i = 0; i < deviceNums; i++) {
        if (device_check_as(__func__, deviceIdList[i], ACL_ERROR_INVALID_PARAM) != 0)
            return NULL;
        devices |= UINT64_C(1) << deviceIdList[i];
    }
    if (aicoreEvents != NULL) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: aicoreEvents is not NULL; NULL is expected", __func__);
        return NULL;
    }
    struct config *config = (struct config *)handle_acquire(&configs);
    if (config == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another configuration", __func__);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    config->devices = devices;
    config->data = dataTypeConfig;
    config->metrics = (uint32_t)aicoreMetrics;
    uint64_t handle = handle_publish(&configs, config);
    pthread_mutex_unlock(&lock);
    return (aclprofConfig *)(uintptr_t)handle;
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
    struct config *config;
    TRY(find_config(__func__, profilerConfig, &config));
    pthread_mutex_lock(&lock);
    bool is_running = running == (uintptr_t)profilerConfig;
    bool is_retired = !is_running && handle_retire(config, (uintptr_t)profilerConfig);
    pthread_mutex_unlock(&lock);
    if (is_running)
        return fail(ACL_ERROR_PROF_ALREADY_RUN,
                    "%s: the configuration is the one that collects; aclprofStop is expected before",
                    __func__);
    if (!is_retired)
        return find_config(__func__, profilerConfig, &config);
    handle_release(&configs, config);
    return 0;
}

/* The file of the timeline in the folder; false with errno where its name is too long. */
static bool name_timeline(char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/host/data/" PROFILE_TIMELINE, folder);
    errno = ENAMETOOLONG;
    return length >= 0 && length < PATH_MAX;
}

/* Begins to record, in a new folder. lock is held. NULL, or what failed; errno or *why tells the reason. */
static const char *begin(const struct config *config, const char **why)
{
    char path[PATH_MAX];
    *why = NULL;
    running_devices = config->devices;
    if (!profile_folder_make(result_path, config->devices, folder))
        return "no folder can be made";
    if (!name_timeline(path))
        return "no file can be made";
    has_own_file = !trace_is_recorded();
    if (has_own_file && !trace_begin_in(path, why))
        return "no file can be made";
    const struct trace_clocks clocks = profile_clocks();
    struct trace_head *head = trace_target_head();
    head->profile_begin = clocks;
    head->profile_end = clocks;
    head->profile_data = config->data;
    head->profile_devices = config->devices;
    head->profile_metrics = config->metrics;
    if (profile_folder_write_info(folder, config->devices, "start_info", &clocks))
        return NULL;
    if (has_own_file)
        trace_end();
    return "no file can be written";
}

/* lock is held. false with errno where the folder could not get all that belongs to it. */
static bool end(void)
{
    char path[PATH_MAX];
    const struct trace_clocks clocks = profile_clocks();
    trace_target_head()->profile_end = clocks;
    running = 0;
    bool is_good = true;
    if (has_own_file) {
        trace_end();
    } else {
        is_good = name_timeline(path) && trace_copy_to(path);
    }
    return profile_folder_write_info(folder, running_devices, "end_info", &clocks) && is_good;
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
    TRACE_THIS_CALL;
    struct config *config;
    TRY(find_config(__func__, profilerConfig, &config));
    int cancellation = cancellation_hold();
    pthread_mutex_lock(&lock);
    const char *what = NULL, *why = NULL;
    bool is_initialised = result_path != NULL, is_running = running != 0;
    bool is_live = handle_is_live(config, (uintptr_t)profilerConfig);
    if (is_live && is_initialised && !is_running) {
        what = begin(config, &why);
        if (why == NULL)
            why = strerror(errno);
        if (what == NULL)
            running = (uintptr_t)profilerConfig;
    }
    pthread_mutex_unlock(&lock);
    cancellation_allow(cancellation);
    if (!is_live)
        return find_config(__func__, profilerConfig, &config);
    if (!is_initialised)
        return fail(ACL_ERROR_PROF_NOT_RUN,
                    "%s: profiling is not initialised; aclprofInit is expected before", __func__);
    if (is_running)
        return fail(ACL_ERROR_PROF_ALREADY_RUN,
                    "%s: another configuration collects already; aclprofStop is expected before", __func__);
    return what == NULL
               ? 0
               : fail(ACL_ERROR_PROFILING_FAILURE,
                      "%s: %s in the folder that aclprofInit was given: %s; a folder that can be written "
                      "to is expected",
                      __func__, what, why);
}

static int told_end(const char *api, bool is_good, int error)
{
    return is_good ? 0
                   : fail(ACL_ERROR_PROFILING_FAILURE,
                          "%s: the profile could not be written whole: %s; room in the "
                          "folder that aclprofInit was given is expected",
                          api, strerror(error));
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
    TRACE_THIS_CALL;
    struct config *config;
    TRY(find_config(__func__, profilerConfig, &config));
    int cancellation = cancellation_hold();
    pthread_mutex_lock(&lock);
    bool is_running = running == (uintptr_t)profilerConfig;
    bool is_good = !is_running || end();
    int error = errno;
    pthread_mutex_unlock(&lock);
    cancellation_allow(cancellation);
    if (!is_running)
        return fail(ACL_ERROR_PROF_NOT_RUN,
                    "%s: the configuration does not collect; one that aclprofStart was given is expected",
                    __func__);
    return told_end(__func__, is_good, error);
}

aclError aclprofFinalize(void)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    int cancellation = cancellation_hold();
    pthread_mutex_lock(&lock);
    bool is_initialised = result_path != NULL;
    bool is_good = running == 0 || end();
    int error = errno;
    free(result_path);
    result_path = NULL;
    pthread_mutex_unlock(&lock);
    cancellation_allow(cancellation);
    if (!is_initialised)
        return fail(ACL_ERROR_PROF_NOT_RUN,
                    "%s: profiling is not initialised; aclprofInit is expected before", __func__);
    return told_end(__func__, is_good, error);
}

/* There is nothing to get ready: neither looks at anything. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

aclError aclprofWarmup(const aclprofConfig *profilerConfig)
{
    const struct settings *settings;
    return settings_get(&settings);
}

aclError aclprofRegisterDeviceCallback(void)
{
    const struct settings *settings;
    return settings_get(&settings);
}
