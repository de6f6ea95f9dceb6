/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the dynamic sections of an ELF program and of the libraries that it needs.
 */
#include "tools/elf_needs.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* count entries of entry_bytes at offset lie in the file, aligned for reading through a pointer. */
static const void *part(const struct elf_needs *needs, uint64_t offset, uint64_t count, size_t entry_bytes)
{
    if (offset > needs->bytes || offset % 8 || count > (needs->bytes - offset) / entry_bytes)
        return NULL;
    return (const char *)needs->file + offset;
}

/* The offset in the file of what is loaded at address. */
static bool offset_of(const Elf64_Phdr *segments, uint16_t count, uint64_t address, uint64_t *offset)
{
    for (uint16_t i = 0; i < count; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return !__builtin_add_overflow(segment->p_offset, address - segment->p_vaddr, offset);
    }
    return false;
}

static bool read_dynamic(struct elf_needs *needs, const Elf64_Phdr *segments, uint16_t count)
{
    const Elf64_Dyn *entries = NULL;
    uint64_t entry_count = 0, strings_address = 0, strings_offset, strings_bytes = 0;
    for (uint16_t i = 0; i < count; i++)
        if (segments[i].p_type == PT_DYNAMIC) {
            entry_count = segments[i].p_filesz / sizeof *entries;
            entries = part(needs, segments[i].p_offset, entry_count, sizeof *entries);
        }
    if (!entries)
        return false;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_STRTAB)
            strings_address = entries[i].d_un.d_ptr;
        else if (entries[i].d_tag == DT_STRSZ)
            strings_bytes = entries[i].d_un.d_val;
    }
    if (!offset_of(segments, count, strings_address, &strings_offset) || strings_offset > needs->bytes ||
        strings_bytes > needs->bytes - strings_offset)
        return false;
    const char *strings = (const char *)needs->file + strings_offset;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++) {
        uint64_t at = entries[i].d_un.d_val;
        const char **place = entries[i].d_tag == DT_RPATH     ? &needs->rpath
                             : entries[i].d_tag == DT_RUNPATH ? &needs->runpath
                             : entries[i].d_tag == DT_NEEDED && needs->count < ELF_NEEDS_MAX
                                 ? &needs->name[needs->count]
                                 : NULL;
        if (place == NULL)
            continue;
        if (at >= strings_bytes || !memchr(strings + at, 0, strings_bytes - at))
            return false;
        *place = strings + at;
        needs->count += entries[i].d_tag == DT_NEEDED;
    }
    if (needs->runpath)
        needs->rpath = NULL;
    return true;
}

/* NULL for what is no 64-bit ELF file of this byte order. */
static const Elf64_Phdr *find_segments(const struct elf_needs *needs, uint16_t *count)
{
    const Elf64_Ehdr *header = part(needs, 0, 1, sizeof *header);
    const unsigned char byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != byte_order || header->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    *count = header->e_phnum;
    return part(needs, header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr));
}

static bool map_file(const char *path, struct elf_needs *needs)
{
    *needs = (struct elf_needs){0};
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* which does not wait for a pipe's writer */
    if (file < 0)
        return false;
    bool is_mapped = false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        needs->bytes = (size_t)status.st_size;
        needs->file = mmap(NULL, needs->bytes, PROT_READ, MAP_PRIVATE, file, 0);
        is_mapped = needs->file != MAP_FAILED;
    }
    close(file);
    return is_mapped;
}

bool elf_needs_read(const char *path, struct elf_needs *needs)
{
    uint16_t count = 0;
    if (!map_file(path, needs))
        return false;
    const Elf64_Phdr *segments = find_segments(needs, &count);
    if (segments && read_dynamic(needs, segments, count))
        return true;
    elf_needs_destroy(needs);
    return false;
}

bool elf_is_static(const char *path)
{
    struct elf_needs needs;
    uint16_t count = 0;
    if (!map_file(path, &needs))
        return false;
    const Elf64_Phdr *segments = find_segments(&needs, &count);
    bool has_loader = !segments;
    for (uint16_t i = 0; segments && i < count; i++)
        has_loader = has_loader || segments[i].p_type == PT_INTERP;
    elf_needs_destroy(&needs);
    return !has_loader;
}

void elf_needs_destroy(struct elf_needs *needs)
{
    munmap(needs->file, needs->bytes);
}

/* The program and the libraries found so far: those before next have been read. */
struct walk {
    const char *folder;
    uint32_t count, next;
    char *path[ELF_NEEDS_MAX]; /* malloc'ed */
    char *program_rpath;       /* malloc'ed; counts for libraries of libraries too; or NULL */
    bool needs_folder, path_wins;
};

static void add(struct walk *walk, const char *path)
{
    char *resolved = walk->count < ELF_NEEDS_MAX ? realpath(path, NULL) : NULL;
    if (!resolved)
        return;
    for (uint32_t i = 0; i < walk->count; i++)
        if (strcmp(walk->path[i], resolved) == 0) {
            free(resolved);
            return;
        }
    walk->path[walk->count++] = resolved;
}

/* folder/name, where the folder may begin with the folder of the object that asks; true when it is there. */
static bool try_folder(struct walk *walk, const char *folder, size_t length, const char *object,
                       const char *name)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    char path[PATH_MAX];
    int written = -1;
    for (size_t i = 0; i < 2 && written < 0; i++) {
        size_t origin_length = strlen(origins[i]);
        if (length < origin_length || strncmp(folder, origins[i], origin_length) != 0)
            continue;
        int object_length = (int)(strrchr(object, '/') - object); /* it is a resolved path */
        written = snprintf(path, sizeof path, "%.*s%.*s/%s", object_length, object,
                           (int)(length - origin_length), folder + origin_length, name);
    }
    if (written < 0)
        written = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    if (written >= (int)sizeof path || access(path, R_OK) != 0)
        return false;
    add(walk, path);
    return true;
}

static bool try_folders(struct walk *walk, const char *folders, const char *object, const char *name)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":;");
        if (length && try_folder(walk, folders, length, object, name))
            return true;
        folders += length;
        folders += *folders != 0;
    }
    return false;
}

/* Adds the library that the loader would take for name, as far as that can be told. */
static void find_library(struct walk *walk, const struct elf_needs *needs, const char *object,
                         const char *name)
{
#if defined(__x86_64__)
    static const char system[] = "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                                 "/lib64:/usr/lib64:/lib:/usr/lib";
#else
    static const char system[] = "/usr/local/lib:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
                                 "/lib64:/usr/lib64:/lib:/usr/lib";
#endif
    if (strchr(name, '/'))
        add(walk, name);
    else if (!try_folders(walk, needs->rpath, object, name) &&
             !try_folders(walk, walk->program_rpath, walk->path[0], name) &&
             !try_folders(walk, getenv("LD_LIBRARY_PATH"), object, name) &&
             !try_folders(walk, needs->runpath, object, name))
        try_folders(walk, system, object, name);
}

/* What one object needs: libraries that the folder has, and others, which are looked at in their turn. */
static void look_at(struct walk *walk, const struct elf_needs *needs, const char *object)
{
    walk->path_wins = walk->path_wins || needs->rpath;
    for (uint32_t i = 0; i < needs->count; i++) {
        const char *slash = strrchr(needs->name[i], '/');
        char path[PATH_MAX];
        int written = snprintf(path, sizeof path, "%s/%s", walk->folder, slash ? slash + 1 : needs->name[i]);
        if (written < (int)sizeof path && access(path, R_OK) == 0) {
            walk->needs_folder = true;
            walk->path_wins = walk->path_wins || slash;
        } else {
            find_library(walk, needs, object, needs->name[i]);
        }
    }
}

bool elf_needs_preload(const char *program, const char *folder)
{
    struct walk walk = {.folder = folder};
    add(&walk, program);
    for (; walk.next < walk.count && !(walk.needs_folder && walk.path_wins); walk.next++) {
        struct elf_needs needs;
        if (!elf_needs_read(walk.path[walk.next], &needs))
            continue;
        if (walk.next == 0 && needs.rpath)
            walk.program_rpath = strdup(needs.rpath);
        look_at(&walk, &needs, walk.path[walk.next]);
        elf_needs_destroy(&needs);
    }
    for (uint32_t i = 0; i < walk.count; i++)
        free(walk.path[i]);
    free(walk.program_rpath);
    return walk.needs_folder && walk.path_wins;
}
