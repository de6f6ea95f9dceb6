/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The frames of a thread of a Python program, read where CPython has them: of 3.11, and of 3.13 and later,
 * which tell in _PyRuntime where the members of their structures lie. The thread reads its own, which stay as
 * they are while it does, whether it has the interpreter's lock or not.
 */
#ifndef BELAY_CHECK_PYTHON_FRAMES_H
#define BELAY_CHECK_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { PYTHON_FRAMES = 48, PYTHON_PATH_BYTES = 1024, PYTHON_NAME_BYTES = 128 };

struct python_frame {
    const unsigned char *code, *instruction;
};

/* Whether the interpreter in this process is one that can be read. Looks once it is there. */
bool python_frames_can_be_read(void);

/* The innermost frames of a thread, and their number. */
uint32_t python_frames_read(const void *thread, struct python_frame frame[PYTHON_FRAMES]);

/* What tells whether frames are those of an earlier time, though codes come and go. */
uint64_t python_frames_hash(const struct python_frame *frame, uint32_t count);

/* A frame's file and function, and its line. */
int python_frame_describe(const struct python_frame *frame, char path[PYTHON_PATH_BYTES],
                          char name[PYTHON_NAME_BYTES]);

#endif
