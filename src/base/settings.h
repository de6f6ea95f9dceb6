/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the environment asks for, read once at the first call that needs it (docs/environment.md).
 */
#ifndef BELAY_BASE_SETTINGS_H
#define BELAY_BASE_SETTINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/accuracy.h"
#include "base/export.h"
#include "base/processor.h"
#include "base/product.h"

enum { DEVICES_MAX = 64, THREADS_MAX = 1024 };

enum schedule {
    SCHEDULE_EAGER, /* work runs as soon as it can */
    SCHEDULE_LAZY,  /* nothing runs before a synchronise, query, wait, blocking copy or report */
    SCHEDULE_RANDOM /* whether and where work runs at once is drawn from schedule_seed */
};

struct settings {
    const char *soc_name; /* BELAY_SOC, static storage */
    enum product product;
    int32_t device_count;         /* after ASCEND_RT_VISIBLE_DEVICES */
    bool visible_devices_are_bad; /* then aclrtGetDeviceCount answers 207004 */
    uint32_t thread_count;        /* BELAY_THREADS: threads that may compute at a time, 1..THREADS_MAX */
    uint32_t processor_count; /* that the process may use, by its affinity and its control group's quota */
    uint64_t memory_bytes;    /* BELAY_MEMORY: device memory, per device */
    enum accuracy accuracy;   /* BELAY_ACCURACY */
    enum isa_level isa;       /* BELAY_ISA, at most what the processor and the system support */
    enum schedule schedule;   /* BELAY_SCHEDULE */
    uint64_t schedule_seed;
    bool host_pointers_allowed; /* BELAY_HOST_POINTERS=allow */
    uint64_t workspace_bytes;   /* BELAY_WORKSPACE: what every phase 1 asks for at least */
    uint32_t checks;            /* BELAY_CHECK: one bit each */
    bool reports_absent;        /* BELAY_ABSENT=report */
    bool handles_have_grace;    /* BELAY_HANDLES=grace */
};

/* Bits of checks, in the order of the names in BELAY_CHECK. */
enum {
    CHECK_MEMORY = 1 << 0, /* mem, or memory: device memory that the host touches, guards */
    CHECK_INIT = 1 << 1,   /* init: bytes read that were never written */
    CHECK_RACE = 1 << 2,   /* race: accesses without order */
    CHECK_LEAK = 1 << 3,   /* leak: what is alive at the end */
    CHECK_ORDER = 1 << 4,  /* sync, or order: calls that are missing or come too early */
    CHECK_NUM = 1 << 5,    /* num: NaN and infinity that appear */
    CHECK_REPORT = 1 << 6, /* report: what the always-on rules find is printed */
    CHECKS = 7
};

/* The checks that are on, CHECK_REPORT aside; 0 until the environment has been read, and in a forked child.
 */
extern _Atomic uint32_t settings_checks_on SHARED(settings_checks_on);

/* Whether any of these checks is on: a load and a branch. */
static inline bool check_is_on(uint32_t checks)
{
    return __builtin_expect(atomic_load_explicit(&settings_checks_on, memory_order_relaxed) & checks, 0) != 0;
}

static inline bool checks_are_on(void)
{
    return check_is_on(UINT32_MAX);
}

/* The name of the check whose bit is 1 << index; index is less than CHECKS. */
const char *settings_check_name(uint32_t index) SHARED(settings_check_name);

/* The variables that begin with BELAY_ and that the library reads; NULL behind the last one. */
const char *settings_variable(uint32_t index) SHARED(settings_variable);

/* The settings once they have been read; NULL before, when they are bad, and in a forked child. */
extern _Atomic(const struct settings *) settings_current SHARED(settings_current);

/* The slow half of settings_get: reads the environment, or says why the library cannot be used. */
int settings_read(const struct settings **settings) SHARED(settings_read);

/*
 * 0 and *settings when the library can be used in this process. Otherwise the code of an acl call with a
 * recorded sentence: 100000 when a variable is not understood (this call and all later ones), 107002 in a
 * forked child of a process that had used the library, 200000 when libc has no memory to watch for forks. The
 * first call reads the environment; later ones cost one load and a branch.
 */
static inline int settings_get(const struct settings **settings)
{
    *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return __builtin_expect(*settings != NULL, 1) ? 0 : settings_read(settings);
}

#endif
