/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the dynamic section of an ELF program.
 */
#include "tools/elf_needs.h"

#include <elf.h>
#include <fcntl.h>
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
    bool has_rpath = false, has_runpath = false;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++) {
        has_rpath = has_rpath || entries[i].d_tag == DT_RPATH;
        has_runpath = has_runpath || entries[i].d_tag == DT_RUNPATH;
        if (entries[i].d_tag == DT_STRTAB)
            strings_address = entries[i].d_un.d_ptr;
        else if (entries[i].d_tag == DT_STRSZ)
            strings_bytes = entries[i].d_un.d_val;
    }
    if (!offset_of(segments, count, strings_address, &strings_offset) || strings_offset > needs->bytes ||
        strings_bytes > needs->bytes - strings_offset)
        return false;
    const char *strings = (const char *)needs->file + strings_offset;
    needs->path_wins = has_rpath && !has_runpath;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++) {
        uint64_t at = entries[i].d_un.d_val;
        if (entries[i].d_tag != DT_NEEDED || needs->count == ELF_NEEDS_MAX)
            continue;
        if (at >= strings_bytes || !memchr(strings + at, 0, strings_bytes - at))
            return false;
        needs->name[needs->count++] = strings + at;
        needs->path_wins = needs->path_wins || strchr(strings + at, '/');
    }
    return true;
}

static bool read_file(struct elf_needs *needs)
{
    const Elf64_Ehdr *header = part(needs, 0, 1, sizeof *header);
    const unsigned char byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != byte_order || header->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    const Elf64_Phdr *segments = part(needs, header->e_phoff, header->e_phnum, sizeof *segments);
    return segments && read_dynamic(needs, segments, header->e_phnum);
}

bool elf_needs_read(const char *path, struct elf_needs *needs)
{
    *needs = (struct elf_needs){0};
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool is_mapped = false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        needs->bytes = (size_t)status.st_size;
        needs->file = mmap(NULL, needs->bytes, PROT_READ, MAP_PRIVATE, file, 0);
        is_mapped = needs->file != MAP_FAILED;
    }
    close(file);
    if (!is_mapped)
        return false;
    if (read_file(needs))
        return true;
    elf_needs_destroy(needs);
    return false;
}

void elf_needs_destroy(struct elf_needs *needs)
{
    munmap(needs->file, needs->bytes);
}
