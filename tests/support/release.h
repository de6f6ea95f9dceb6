/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Releases an array from a getter in a C program. A sanitizer may bring the C++ runtime into it; then the
 * array comes from operator new[], and the sanitizer insists on the counterpart.
 */
#ifndef BELAY_TESTS_SUPPORT_RELEASE_H
#define BELAY_TESTS_SUPPORT_RELEASE_H

#include <stdlib.h>

extern void cxx_delete_array(void *memory) __asm__("_ZdaPv") __attribute__((weak));
extern char cxx_runtime_here[] __asm__("__gxx_personality_v0") __attribute__((weak));

static inline void release_array(void *array)
{
    if (cxx_delete_array != NULL && cxx_runtime_here != NULL)
        cxx_delete_array(array);
    else
        free(array);
}

#endif
