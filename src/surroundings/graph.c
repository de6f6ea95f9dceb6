/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libgraph.so: what the answer of aclScalar::ToString() (src/tensor/cxx_getter.c) is read with. All else of
 * its names is not there; a program that calls into it gets its linker's or its loader's message, with the
 * name.
 */
#include <stddef.h>

/* ge::AscendString: a shared pointer to a string, whose first member is the address of its characters. */
struct ascend_string {
    const char *const *characters;
    void *owner;
};

const char *string_get(const struct ascend_string *string) __asm__("_ZNK2ge12AscendString9GetStringEv")
    __attribute__((visibility("default")));

const char *string_get(const struct ascend_string *string)
{
    return string != NULL && string->characters != NULL ? *string->characters : "";
}
