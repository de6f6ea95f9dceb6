/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the environment, strictly: whatever is not understood is an error that names the variable. Programs
 * that run with more rights than their user (AT_SECURE) ignore the environment.
 */
#include "base/cancellation.h"
#include "base/settings_peek.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/listener.h"
#include "base/local_time.h"
#include "base/log.h"
#include "base/product.h"
#include "base/report.h"
#include "base/saboteur.h"

enum { SENTENCE_BYTES = 512 };
static const uint64_t KIBI = 1024;
static const uint64_t MEMORY_MAX = UINT64_C(1) << 47;    /* all addresses of a process on x86-64 */
static const uint64_t WORKSPACE_MAX = UINT64_C(1) << 40; /* 1 TiB */

_Atomic(const struct settings *) settings_current;
_Atomic uint32_t settings_checks_on;

/* first_use is held while the environment is read; it guards everything below but is_forked_child. */
static pthread_mutex_t first_use = PTHREAD_MUTEX_INITIALIZER;
static bool watches_forks;
static bool is_used;    /* by a call that does more than ask; in vain where it is refused */
static bool is_refused; /* refusal says why; neither changes again */
static bool has_values; /* has been read, and need not be in use */
static char refusal[SENTENCE_BYTES];
static char soc_name[SOC_NAME_BYTES];
static struct settings values; /* constant once they are there */

static _Atomic bool is_forked_child;

/* Keeps the sentence for this call and all later ones. */
__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal, sizeof refusal, format, arguments);
    va_end(arguments);
    return false;
}

/* An empty value means the same as none. */
static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

/* Decimal digits and nothing else in front of *end; false without digits or beyond 64 bits. */
static bool parse_digits(const char *text, uint64_t *number, const char **end)
{
    uint64_t sum = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
            return false;
    }
    *number = sum;
    *end = at;
    return at != text;
}

static bool read_integer(const char *name, uint64_t least, uint64_t greatest, uint64_t *number)
{
    const char *text = variable(name);
    const char *end;
    uint64_t found;
    if (text == NULL)
        return true;
    if (!parse_digits(text, &found, &end) || *end != '\0' || found < least || found > greatest)
        return refuse("%s: the value '%.256s' is not understood; an integer of %llu to %llu is expected",
                      name, text, (unsigned long long)least, (unsigned long long)greatest);
    *number = found;
    return true;
}

/* An integer that K, M, G or T may follow: powers of 1024. */
static bool read_bytes(const char *name, uint64_t least, uint64_t greatest, uint64_t *bytes)
{
    const char *text = variable(name);
    const char *end;
    uint64_t found;
    if (text == NULL)
        return true;
    bool is_good = parse_digits(text, &found, &end);
    if (is_good && *end != '\0') {
        static const char suffixes[] = "KMGT";
        const char *suffix = strchr(suffixes, *end);
        is_good = suffix != NULL && end[1] == '\0';
        for (const char *at = suffixes; is_good && at <= suffix; at++)
            is_good = !__builtin_mul_overflow(found, KIBI, &found);
    }
    if (!is_good || found < least || found > greatest)
        return refuse(
            "%s: the value '%.256s' is not understood; bytes are expected, %llu to %llu, as an integer "
            "that K, M, G or T may follow",
            name, text, (unsigned long long)least, (unsigned long long)greatest);
    *bytes = found;
    return true;
}

/* Processors that this process may use, by its affinity and the quota of its control group. */
static uint32_t usable_processors(void)
{
    unsigned long mask[1024] = {0}; /* the kernel's own limit is 8,192 processors */
    uint32_t count = 0;
    if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask) == 0) {
        for (size_t i = 0; i < sizeof mask / sizeof mask[0]; i++)
            count += (uint32_t)__builtin_popcountl(mask[i]);
    }
    uint32_t quota = cgroup_processors("");
    if (count == 0)
        count = 1;
    if (count > quota)
        count = quota;
    return count < THREADS_MAX ? count : THREADS_MAX;
}

/* Bytes that this process may use: what is installed, or less by control group or resource limit. */
static uint64_t usable_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t bytes = UINT64_C(1) << 32;
    if (pages > 0 && page_bytes > 0)
        bytes = (uint64_t)pages * (uint64_t)page_bytes;
    uint64_t group = cgroup_memory("");
    if (bytes > group)
        bytes = group;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && bytes > space.rlim_cur)
        bytes = space.rlim_cur;
    return bytes;
}

static bool read_product(struct settings *settings)
{
    const char *name = variable("BELAY_SOC");
    if (name == NULL)
        name = "Ascend910B3";
    if (strlen(name) >= sizeof soc_name || !product_find(name, &settings->product))
        return refuse("BELAY_SOC: '%.256s' is not a product that can be emulated; Ascend910A, Ascend910ProA, "
                      "Ascend910B1 to Ascend910B4, Ascend910_9391 or Ascend950PR is expected, among others",
                      name);
    memcpy(soc_name, name, strlen(name) + 1);
    settings->soc_name = soc_name;
    return true;
}

/*
 * ASCEND_RT_VISIBLE_DEVICES picks devices: a list of ascending numbers, read up to the first item that is no
 * device's number. The devices picked are numbered from 0 again.
 */
/* Constant once values are there, as they are. */
static int32_t all_device_count;
static uint8_t visible_device[DEVICES_MAX];

int32_t settings_all_device_count(void)
{
    return all_device_count;
}

int32_t settings_visible_device(int32_t device)
{
    return visible_device[device];
}

static void read_visible_devices(struct settings *settings)
{
    const char *text = secure_getenv("ASCEND_RT_VISIBLE_DEVICES"); /* an empty list hides all devices */
    int64_t last = -1;
    int32_t count = 0;
    all_device_count = settings->device_count;
    for (int i = 0; i < DEVICES_MAX; i++)
        visible_device[i] = (uint8_t)i;
    if (text == NULL)
        return;
    for (;;) {
        uint64_t device;
        const char *end;
        if (!parse_digits(text, &device, &end) || (*end != ',' && *end != '\0') ||
            device >= (uint64_t)settings->device_count)
            break;
        if ((int64_t)device <= last) {
            count = 0;
            break;
        }
        last = (int64_t)device;
        visible_device[count++] = (uint8_t)device;
        if (*end == '\0')
            break;
        text = end + 1;
    }
    settings->visible_devices_are_bad = count == 0;
    settings->device_count = count;
}

static bool read_accuracy(struct settings *settings)
{
    const char *text = variable("BELAY_ACCURACY");
    if (text == NULL || strcmp(text, "default") == 0)
        settings->accuracy = ACCURACY_DEFAULT;
    else if (strcmp(text, "exact") == 0)
        settings->accuracy = ACCURACY_EXACT;
    else
        return refuse("BELAY_ACCURACY: the value '%.256s' is not understood; default or exact is expected",
                      text);
    return true;
}

static bool read_isa(struct settings *settings)
{
    const char *text = variable("BELAY_ISA");
    enum isa_level highest = processor_level();
    settings->isa = highest;
    if (text == NULL)
        return true;
    if (strcmp(text, "baseline") == 0) { /* which has another name where that says more */
        settings->isa = ISA_BASELINE;
        return true;
    }
    for (int level = ISA_BASELINE; level <= (int)highest; level++) {
        if (strcmp(text, isa_level_name((enum isa_level)level)) == 0) {
            settings->isa = (enum isa_level)level;
            return true;
        }
    }
    static const char *const all[] = {"baseline", "avx2", "avx512", "avx512_bf16", "neon"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(text, all[i]) == 0)
            return refuse(
                "BELAY_ISA: this processor, or the system that runs on it, has no %s; at most %s is expected",
                text, isa_level_name(highest));
    }
    return refuse("BELAY_ISA: the value '%.256s' is not understood; baseline, avx2, avx512, avx512_bf16 or "
                  "neon is expected",
                  text);
}

static bool read_schedule(struct settings *settings)
{
    static const char random[] = "random:";
    const char *text = variable("BELAY_SCHEDULE");
    const char *end;
    if (text == NULL || strcmp(text, "eager") == 0) {
        settings->schedule = SCHEDULE_EAGER;
    } else if (strcmp(text, "lazy") == 0) {
        settings->schedule = SCHEDULE_LAZY;
    } else if (strncmp(text, random, sizeof random - 1) == 0 &&
               parse_digits(text + sizeof random - 1, &settings->schedule_seed, &end) && *end == '\0') {
        settings->schedule = SCHEDULE_RANDOM;
    } else {
        return refuse(
            "BELAY_SCHEDULE: the value '%.256s' is not understood; eager, lazy or random:SEED, with an "
            "integer of 64 bits as SEED, is expected",
            text);
    }
    return true;
}

const char *settings_check_name(uint32_t index)
{
    static const char *const names[CHECKS] = {"mem", "init", "race", "leak", "sync", "num", "report"};
    return names[index];
}

uint32_t settings_check_bit(const char *name, size_t length)
{
    static const char *const others[CHECKS] = {[0] = "memory", [4] = "order"};
    for (uint32_t i = 0; i < CHECKS; i++) {
        const char *names[] = {settings_check_name(i), others[i]};
        for (size_t j = 0; j < 2; j++)
            if (names[j] != NULL && strlen(names[j]) == length && memcmp(names[j], name, length) == 0)
                return 1u << i;
    }
    return 0;
}

static bool read_checks(struct settings *settings)
{
    const char *text = variable("BELAY_CHECK");
    const char *item = text;
    while (item != NULL) {
        size_t length = strcspn(item, ",");
        uint32_t bit = settings_check_bit(item, length);
        if (bit == 0)
            return refuse("BELAY_CHECK: the value '%.256s' is not understood; a list of mem, init, race, "
                          "leak, sync, num and report with commas between them is expected",
                          text);
        settings->checks |= bit;
        item = item[length] == ',' ? item + length + 1 : NULL;
    }
    return true;
}

/* First: where other settings are refused, all calls fail, and that is reported too. */
static bool begin_reports(const struct settings *settings)
{
    const char *path = variable("BELAY_CHECK_COUNTS");
    const char *suppressions = variable("BELAY_CHECK_SUPPRESSIONS");
    char sentence[SENTENCE_BYTES - 64];
    if (settings->checks == 0)
        return true;
    if (listener == NULL)
        return refuse("BELAY_CHECK: this library has no checker; no value is expected");
    if (suppressions != NULL && !listener->suppressions_read(suppressions, sentence, sizeof sentence))
        return refuse("BELAY_CHECK_SUPPRESSIONS: %s", sentence);
    report_failures((settings->checks & CHECK_REPORT) != 0);
    if (listener->report_begin(path))
        return true;
    report_failures(false);
    return refuse("BELAY_CHECK_COUNTS: the value '%.256s' is not understood; the file that `belay check` "
                  "counts in is expected, and memory for a copy of it",
                  path != NULL ? path : "");
}

/* A variable that has one word besides none. */
static bool read_word(const char *name, const char *word, bool *is_set)
{
    const char *text = variable(name);
    *is_set = text != NULL;
    return text == NULL || strcmp(text, word) == 0 ||
           refuse("%s: the value '%.256s' is not understood; %s is expected", name, text, word);
}

/* Reads BELAY_HANDLES, whose default has a name too. */
static bool read_handles(struct settings *settings)
{
    const char *text = variable("BELAY_HANDLES");
    settings->handles_have_grace = text != NULL && strcmp(text, "grace") == 0;
    return text == NULL || settings->handles_have_grace || strcmp(text, "strict") == 0 ||
           refuse("BELAY_HANDLES: the value '%.256s' is not understood; strict or grace is expected", text);
}

/* Last: there is nothing to record where other settings are refused. */
static bool begin_trace(void)
{
    const char *path = variable("BELAY_TRACE"), *why;
    if (recorder == NULL)
        return path == NULL || refuse("BELAY_TRACE: this library has no timeline; no value is expected");
    return recorder->start(path, &why) ||
           refuse("BELAY_TRACE: no file can be made beside '%.256s': %s; a file in a folder that can be "
                  "written to is expected",
                  path, why);
}

/* Before the timeline, whose files may be what fails. */
static bool begin_faults(void)
{
    const char *text = variable("BELAY_FAULT");
    char sentence[SENTENCE_BYTES - 16];
    if (text == NULL)
        return true;
    if (saboteur == NULL)
        return refuse("BELAY_FAULT: this library has no faults; no value is expected");
    return saboteur->start(text, sentence, sizeof sentence) || refuse("BELAY_FAULT: %s", sentence);
}

const char *settings_variable(uint32_t index)
{
    static const char *const names[] = {
        "BELAY_ABSENT",
        "BELAY_ACCURACY",
        "BELAY_CHECK",
        "BELAY_CHECK_COUNTS",
        "BELAY_CHECK_SUPPRESSIONS",
        "BELAY_DEVICES",
        "BELAY_FAULT",
        "BELAY_FAULT_JOURNAL",
        "BELAY_HANDLES",
        "BELAY_HOST_POINTERS",
        "BELAY_ISA",
        "BELAY_MEMORY",
        "BELAY_SCHEDULE",
        "BELAY_SOC",
        "BELAY_THREADS",
        "BELAY_TRACE",
        "BELAY_WORKSPACE",
    };
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

/* torchrun tells each process how many there are on this host, of which each wants a device. */
static uint64_t usual_devices(void)
{
    const char *text = secure_getenv("LOCAL_WORLD_SIZE"), *end;
    uint64_t found;
    return text != NULL && parse_digits(text, &found, &end) && *end == '\0' && found >= 1 &&
                   found <= DEVICES_MAX
               ? found
               : 1;
}

static bool read_environment(struct settings *settings)
{
    uint64_t devices = usual_devices(), threads = 0;
    *settings = (struct settings){0};
    if (!read_checks(settings) || !begin_reports(settings) || !read_product(settings) ||
        !read_integer("BELAY_DEVICES", 1, DEVICES_MAX, &devices) ||
        !read_integer("BELAY_THREADS", 1, THREADS_MAX, &threads) ||
        !read_bytes("BELAY_MEMORY", 1, MEMORY_MAX, &settings->memory_bytes) || !read_accuracy(settings) ||
        !read_isa(settings) || !read_schedule(settings) ||
        !read_word("BELAY_HOST_POINTERS", "allow", &settings->host_pointers_allowed) ||
        !read_word("BELAY_ABSENT", "report", &settings->reports_absent) || !read_handles(settings) ||
        !read_bytes("BELAY_WORKSPACE", 0, WORKSPACE_MAX, &settings->workspace_bytes))
        return false;
    settings->device_count = (int32_t)devices;
    read_visible_devices(settings);
    settings->processor_count = usable_processors();
    settings->thread_count = threads != 0 ? (uint32_t)threads : settings->processor_count;
    if (settings->memory_bytes == 0)
        settings->memory_bytes = usable_memory() / 2;
    return true;
}

/*
 * Runs in a child, on its only thread. Locks may be held for ever by threads that the child does not have,
 * and queued work is lost: where the parent had used the library, nothing but error messages works there.
 */
static void after_fork_in_child(void)
{
    /* Whoever has only asked leaves nothing behind that the child would lack. */
    if (is_used)
        atomic_store_explicit(&is_forked_child, true, memory_order_relaxed);
    atomic_store_explicit(&settings_current, NULL, memory_order_relaxed);
    atomic_store_explicit(&settings_checks_on, 0, memory_order_relaxed);
    pthread_mutex_init(&first_use, NULL);
    if (listener != NULL)
        listener->report_after_fork();
    local_time_after_fork();
    if (recorder != NULL)
        recorder->after_fork();
    if (saboteur != NULL)
        saboteur->after_fork();
    error_after_fork();
    log_after_fork();
}

static void turn_checks_on(void)
{
    atomic_store_explicit(&settings_checks_on, values.checks & ~(uint32_t)CHECK_REPORT, memory_order_relaxed);
    if (values.checks != 0)
        listener->checks_begin(values.checks);
}

/* is_use publishes what was read. */
static int find(const struct settings **settings, bool is_use)
{
    *settings = NULL;
    if (atomic_load_explicit(&is_forked_child, memory_order_relaxed))
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_CONTEXT_NULL,
            "this process is a child of one that had used the library; a process of its own is "
            "expected: begun with exec, forked before the first use, or, in Python, by the start "
            "method spawn");

    int cancellation = cancellation_hold();
    pthread_mutex_lock(&first_use);
    bool has_memory = watches_forks || pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
    watches_forks = has_memory;
    is_used = is_used || is_use;
    if (has_memory && !is_refused && !has_values) {
        is_refused = !read_environment(&values);
        has_values = !is_refused;
    }
    if (is_use && has_memory && !is_refused &&
        atomic_load_explicit(&settings_current, memory_order_relaxed) == NULL) {
        is_refused = !begin_faults() || !begin_trace();
        if (!is_refused) {
            turn_checks_on();
            atomic_store_explicit(&settings_current, &values, memory_order_release);
        }
    }
    bool is_bad = is_refused;
    pthread_mutex_unlock(&first_use);
    cancellation_allow(cancellation);

    if (!has_memory)
        return fail(ACL_ERROR_BAD_ALLOC, "pthread_atfork: libc has no memory to watch for forks");
    if (is_bad)
        return fail(ACL_ERROR_INVALID_PARAM, "%s", refusal);
    *settings = &values;
    return 0;
}

int settings_read(const struct settings **settings)
{
    return find(settings, true);
}

int settings_peek(const struct settings **settings)
{
    *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return *settings != NULL ? 0 : find(settings, false);
}
