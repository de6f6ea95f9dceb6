/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pieces of program in which every point is made to fail: whole programs, and single calls.
 */
#ifndef BELAY_TESTS_FAULTS_SCENARIO_H
#define BELAY_TESTS_FAULTS_SCENARIO_H

#include <stdint.h>

struct scenario {
    const char *name;
    void (*prepare)(void); /* before anything fails; may be NULL */
    void (*body)(void);    /* stops at the first call that fails; what exists is in world */
    const char *variable;  /* of the environment, or NULL */
    const char *value;
};

extern const struct scenario programs[], runtime_calls[], object_calls[];
extern const uint32_t program_count, runtime_call_count, object_call_count;

/* A call with nothing before it; with something before it; the same where nothing runs before a wait. */
#define FIRST(name, body)                            \
    {                                                \
        name " first of all", NULL, body, NULL, NULL \
    }
#define AFTER(name, prepare, body)      \
    {                                   \
        name, prepare, body, NULL, NULL \
    }
#define LAZY(name, prepare, body)                                   \
    {                                                               \
        name ", held back", prepare, body, "BELAY_SCHEDULE", "lazy" \
    }

/* A folder for log files and configurations, which the parent makes and removes. */
extern char scratch_folder[64];
extern char configuration_path[96];

#endif
