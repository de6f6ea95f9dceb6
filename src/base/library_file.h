/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is looked at in the file of a library before the dynamic linker maps it.
 */
#ifndef BELAY_BASE_LIBRARY_FILE_H
#define BELAY_BASE_LIBRARY_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether all of what the linker would map is there: a file that was cut maps pages that nothing stands behind. */
static inline bool library_is_whole(const unsigned char *bytes, uint64_t count)
{
    Elf64_Ehdr file;
    if (count < sizeof file || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&file, bytes, sizeof file);
    if (file.e_phentsize != sizeof(Elf64_Phdr) || file.e_phoff > count ||
        file.e_phnum > (count - file.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    for (uint16_t i = 0; i < file.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, bytes + file.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && (part.p_offset > count || part.p_filesz > count - part.p_offset))
            return false;
    }
    return true;
}

#endif
