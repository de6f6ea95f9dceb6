/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work that fails while it runs: what it says, and who is told. The thread that runs it holds the sentence
 * until the work has ended; the stream takes it then and keeps it until somebody synchronises.
 */
#ifndef BELAY_RUNTIME_STREAMS_FAULT_H
#define BELAY_RUNTIME_STREAMS_FAULT_H

#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "base/held_sentence.h"

/*
 * For the run of an operation, on the thread that it was called on: says what is wrong with the data, without
 * the operator's name, and returns status, which run then returns. ACL_ERROR_RT_VECTOR_CORE_EXCEPTION is for
 * data that the program gave; the sentence names the tensor, the position, the value and what is expected:
 * "index holds 12 at [3, 4]; 0 to 9 are expected". Where several threads find something, run chooses one of
 * them by the data alone. Unlike fail it leaves the messages of the thread alone.
 */
int operation_fail(int status, const char *format, ...) SHARED(operation_fail)
    __attribute__((format(printf, 2, 3), cold));

/*
 * What follows when the run of an operation has returned a status that is not 0: its name opens the sentence,
 * which the log and the checker's reports get now. Same thread.
 */
void operation_failed(const char *operation, int status) SHARED(operation_failed) __attribute__((cold));

/* Takes what the thread holds; empty when that is nothing. */
void fault_take_sentence(char sentence[FAULT_SENTENCE_BYTES]);

/* A task that failed, for the callbacks of exception.c. */
struct fault_place {
    int32_t device;
    uint32_t stream; /* its id */
    uint32_t task;   /* what aclrtGetThreadLastTaskId said behind it */
    uint32_t thread; /* that submitted it */
};

/* Has the callbacks of the program called on a thread of their own, if there are any. Takes no stream's lock.
 */
void exception_raise(const struct fault_place *place, int code);

/* Waits until all callbacks that have been raised have returned, unless the calling thread is in one. */
void exceptions_wait(void);

#endif
