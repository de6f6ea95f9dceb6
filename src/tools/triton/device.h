/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of numbers that the device's own library has, as triton-ascend's libdevice names them: __hmf_tanhf of
 * FLOAT, __hmf_tanhDh of FLOAT16.
 */
#ifndef BELAY_TOOLS_TRITON_DEVICE_H
#define BELAY_TOOLS_TRITON_DEVICE_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the declaration that begins at text, `__hmf_tanhf(f32) -> f32`, is of one that is known here. */
bool device_function_is_known(const char *text);

/* Writes, in LLVM's language, those that the text declares; `written` is what stands before them. */
void device_functions_write(const char *text, const char *written, FILE *to);

#endif
