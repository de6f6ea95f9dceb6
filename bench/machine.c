/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads /proc and /sys.
 */
#include "machine.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

/* The first line of a file without its end; empty when there is none. */
static void read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    if (!file)
        return;
    if (!fgets(line, (int)bytes, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void read_processor(char *name, size_t bytes)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[4096];
    char family[16] = "?", model[16] = "?", text[128] = "unknown";
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, ':');
        if (!value)
            continue;
        value += value[1] == ' ' ? 2 : 1;
        if (strncmp(line, "model name", 10) == 0)
            snprintf(text, sizeof text, "%s", value);
        else if (strncmp(line, "cpu family", 10) == 0)
            snprintf(family, sizeof family, "%.15s", value);
        else if (strncmp(line, "model\t", 6) == 0)
            snprintf(model, sizeof model, "%.15s", value);
        if (strncmp(line, "flags", 5) == 0)
            break;
    }
    if (file)
        fclose(file);
    snprintf(name, bytes, "%.80s (family %s, model %s)", text, family, model);
}

static void read_levels(char *levels, size_t bytes)
{
    snprintf(levels, bytes, "baseline");
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        snprintf(levels, bytes, "baseline, avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        snprintf(levels, bytes, "baseline, avx2, avx512%s",
                 __builtin_cpu_supports("avx512bf16") ? ", avx512_bf16" : "");
#endif
}

static double measure_clock(void)
{
    double best = 0;
    for (int attempt = 0; attempt < 5; attempt++) {
        uint64_t value = 1;
        const int additions = 20000000;
        double begin = processor_ns();
        for (int i = 0; i < additions; i++) {
#if defined(__x86_64__)
            __asm__ volatile("add $1, %0" : "+r"(value));
#elif defined(__aarch64__)
            __asm__ volatile("add %0, %0, #1" : "+r"(value));
#endif
        }
        double rate = additions / (processor_ns() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}

static void read_topology(struct machine *machine)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    machine->processors = CPU_COUNT(&set);
    char siblings[2][64] = {"", ""}, caches[2][64] = {"", ""};
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &set))
            continue;
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        read_line(path, siblings[found], sizeof siblings[found]);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list", cpu);
        read_line(path, caches[found], sizeof caches[found]);
        found++;
    }
    machine->shares_a_core = found == 2 && siblings[0][0] && strcmp(siblings[0], siblings[1]) == 0;
    bool shares_cache = found == 2 && caches[0][0] && strcmp(caches[0], caches[1]) == 0;
    snprintf(machine->topology, sizeof machine->topology, "%d processors; the first two %s, %s",
             machine->processors, machine->shares_a_core ? "share a core" : "are cores of their own",
             shares_cache ? "share the last cache" : "do not share the last cache");
    if (found < 2)
        snprintf(machine->topology, sizeof machine->topology, "%d processor", machine->processors);
}

/* sysconf counts the caches of all cores on some processors. */
static long read_last_cache(void)
{
    char size[32];
    read_line("/sys/devices/system/cpu/cpu0/cache/index3/size", size, sizeof size);
    char *unit;
    long kib = strtol(size, &unit, 10);
    return kib > 0 && *unit == 'K' ? kib << 10 : sysconf(_SC_LEVEL3_CACHE_SIZE);
}

/* Seconds that processors have worked since the system began; negative when it does not tell. */
static double read_busy_s(void)
{
    char line[256];
    unsigned long long user, nice, system, idle, waiting, interrupts, soft;
    read_line("/proc/stat", line, sizeof line);
    if (sscanf(line, "cpu %20llu %20llu %20llu %20llu %20llu %20llu %20llu", &user, &nice, &system, &idle,
               &waiting, &interrupts, &soft) != 7)
        return -1;
    return (double)(user + nice + system + interrupts + soft) / (double)sysconf(_SC_CLK_TCK);
}

static double used_s(int who)
{
    struct rusage use;
    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

struct machine_use machine_use_since(const struct machine *machine)
{
    struct machine_use use = {.seconds = wall_ns() * 1e-9 - machine->begin_s, .others = -1};
    double busy = read_busy_s(), own = used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN);
    if (busy < 0 || machine->busy_s < 0 || use.seconds <= 0)
        return use;
    double others = (busy - machine->busy_s - own) / (use.seconds * machine->processors);
    use.others = others > 0 ? others : 0;
    return use;
}

struct machine machine_read(void)
{
    struct machine machine = {0};
    read_processor(machine.processor, sizeof machine.processor);
    read_levels(machine.levels, sizeof machine.levels);
    read_topology(&machine);
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", machine.huge_pages, sizeof machine.huge_pages);
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(machine.kernel, sizeof machine.kernel, "%.20s %.80s", names.sysname, names.release);
    if (getloadavg(&machine.load, 1) != 1)
        machine.load = -1;
    machine.clock_ghz = measure_clock();
    machine.page_bytes = sysconf(_SC_PAGESIZE);
    machine.last_cache_bytes = read_last_cache();
    machine.begin_s = wall_ns() * 1e-9;
    machine.busy_s = read_busy_s();
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(machine.date, sizeof machine.date, "%Y-%m-%d %H:%M UTC", &utc);
    return machine;
}
