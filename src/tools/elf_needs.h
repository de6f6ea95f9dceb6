/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an ELF program says about the libraries that it needs and where to look for them.
 */
#ifndef BELAY_TOOLS_ELF_NEEDS_H
#define BELAY_TOOLS_ELF_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_NEEDS_MAX = 256 };

struct elf_needs {
    uint32_t count;
    const char *name[ELF_NEEDS_MAX]; /* DT_NEEDED; points into the mapped file, as the two below do */
    const char *rpath;               /* DT_RPATH where it counts, that is, without a DT_RUNPATH; or NULL */
    const char *runpath;
    void *file;
    size_t bytes;
};

/*
 * False when the file is not a 64-bit ELF file of this byte order with a dynamic section, or is damaged. The
 * file is not trusted: every offset is checked against its length. needs is destroyed by the caller.
 */
bool elf_needs_read(const char *path, struct elf_needs *needs);
void elf_needs_destroy(struct elf_needs *needs);

/* Whether the program is loaded without the loader, which is what LD_LIBRARY_PATH and LD_PRELOAD speak to. */
bool elf_is_static(const char *path);

/*
 * Whether the program, or a library that it needs, directly or through others, needs a library that folder
 * has, and LD_LIBRARY_PATH might not decide which: a DT_RPATH is searched before it, and a name with a folder
 * in it not at all. Libraries are looked for as the loader does, but without its cache: in the objects' own
 * folders, LD_LIBRARY_PATH and the system's folders. False for what is no ELF program.
 */
bool elf_needs_preload(const char *program, const char *folder);

#endif
