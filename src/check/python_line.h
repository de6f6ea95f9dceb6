/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The line of a Python program that led to a call: the return address lies in the interpreter there, and says
 * nothing.
 */
#ifndef BELAY_CHECK_PYTHON_LINE_H
#define BELAY_CHECK_PYTHON_LINE_H

#include <stdint.h>

/* Numbers for texts; 0: none. */
struct python_place {
    uint32_t
        line; /* the innermost line outside of the packages that lie between a program and this library */
    uint32_t callers; /* the lines of that frame's callers outside of them, with newlines between */
};

/* The place of the calling thread. None where there is no Python, in a thread without Python frames, or in an
 * interpreter that does not tell. */
struct python_place python_place_here(void);

/* The text of a number: "/home/me/train.py:12 (step)"; empty for 0. It stays for the life of the process. */
const char *python_line_text(uint32_t number);

void python_line_after_fork(void);

#endif
