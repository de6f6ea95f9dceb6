/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where faults strike: whoever is about to do what a fault can wait for says so here, where one is awaited
 * (base/saboteur.h), and is told what becomes of it.
 */
#ifndef BELAY_RUNTIME_FAULTS_STRIKE_H
#define BELAY_RUNTIME_FAULTS_STRIKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "base/saboteur.h"
#include "runtime/faults/plan.h"

/* Something is about to happen. */
struct fault_occasion {
    enum fault_event event; /* FAULT_AT_OPERATOR or FAULT_AT_COPY, never FAULT_AT_STREAM */
    bool is_in_stream;      /* of these: it is work of a stream */
    const char *name;       /* the call; of a file its path */
    int32_t device;         /* -1: of none */
    int64_t rank;           /* among others; -1: that of the process */
    uint64_t bytes;         /* 0: not known */
    uint64_t held;          /* what the device then holds; 0: not known */
};

/* What becomes of it. */
struct fault_blow {
    enum fault_deed deed; /* DEED_CUT, DEED_DISAGREE, DEED_FAIL, DEED_RESET or DEED_FULL */
    int32_t code;         /* what it ends with */
    char sentence[FAULT_TEXT_BYTES + 96];
};

/*
 * Whether a fault strikes that is not over when this returns: processes are stopped and killed, and take longer,
 * here. *blow says what follows; its sentence has no function's name. On a device that is lost everything fails.
 */
bool fault_strikes(const struct fault_occasion *occasion, struct fault_blow *blow) SHARED(fault_strikes);

/* fault_strikes for what a call is about to do: 0, or what it returns, with a sentence. */
int fault_at_call(const struct fault_occasion *occasion) SHARED(fault_at_call);

/* 0, or the code of a lost device, with a sentence: for calls that wait for its work. */
int fault_at_wait(const char *api, int32_t device);

/* The device has been reset: it is there again. */
void fault_device_was_reset(int32_t device);

#endif
