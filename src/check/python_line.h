/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The line of a Python program that led to a call: the return address lies in the interpreter there, and says
 * nothing.
 */
#ifndef BELAY_CHECK_PYTHON_LINE_H
#define BELAY_CHECK_PYTHON_LINE_H

#include <stdint.h>

/*
 * A number for the innermost line of the calling thread outside of the packages that lie between a program
 * and this library; 0 where there is none: no Python, a thread without Python frames, or an interpreter that
 * does not tell.
 */
uint32_t python_line_here(void);

/* The text of a number: "/home/me/train.py:12 (step)"; empty for 0. It stays for the life of the process. */
const char *python_line_text(uint32_t line);

void python_line_after_fork(void);

#endif
