/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an ELF file says that it needs: good files, damaged and hostile ones, and whether the libraries of a
 * folder have to be preloaded for a program.
 */
#include <elf.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/folder.h"
#include "tools/elf_needs.h"

enum { ENTRIES = 400, STRINGS = 8192, BASE = 0x400000 };

/* A file with a header, a segment that is all of it, and its dynamic section. */
static struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment[3];
    Elf64_Dyn entry[ENTRIES];
    char strings[STRINGS];
} image;

static uint32_t entries, string_bytes;

static void image_begin(void)
{
    memset(&image, 0, sizeof image);
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    image.header.e_phoff = offsetof(struct image, segment);
    image.header.e_phentsize = sizeof image.segment[0];
    image.header.e_phnum = 3;
    /* The first one holds nothing that is looked for, and the second is loaded elsewhere. */
    image.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = 16};
    image.segment[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 2 * BASE, .p_filesz = sizeof image};
    image.segment[2] = (Elf64_Phdr){
        .p_type = PT_DYNAMIC, .p_offset = offsetof(struct image, entry), .p_filesz = sizeof image.entry};
    entries = 0;
    image.entry[entries++] =
        (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = 2 * BASE + offsetof(struct image, strings)};
    image.entry[entries++] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = STRINGS};
    string_bytes = 1;
}

static void image_say(int64_t tag, const char *text)
{
    size_t size = strlen(text) + 1;
    assert_true(entries < ENTRIES && string_bytes + size <= STRINGS);
    image.entry[entries++] = (Elf64_Dyn){.d_tag = tag, .d_un.d_val = string_bytes};
    memcpy(image.strings + string_bytes, text, size);
    string_bytes += (uint32_t)size;
}

static const char *place(const char *name)
{
    static char path[4][PATH_MAX];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, PATH_MAX, "%s/%s", root, name);
    return text;
}

static const char *image_write(const char *name, size_t size)
{
    const char *path = place(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&image, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A library or a program: pairs of tag and text, up to a 0. */
static const char *put(const char *name, ...)
{
    va_list arguments;
    image_begin();
    va_start(arguments, name);
    for (int tag; (tag = va_arg(arguments, int)) != 0;)
        image_say(tag, va_arg(arguments, const char *));
    va_end(arguments);
    return image_write(name, sizeof image);
}

static void assert_refused(void)
{
    struct elf_needs needs;
    assert_false(elf_needs_read(image_write("refused", sizeof image), &needs));
}

static void needs_and_paths_are_read(void **state)
{
    (void)state;
    struct elf_needs needs;
    assert_true(elf_needs_read(
        put("a", DT_NEEDED, "libone.so", DT_RPATH, "/first", DT_NEEDED, "/b/libtwo.so", 0), &needs));
    assert_int_equal(needs.count, 2);
    assert_string_equal(needs.name[0], "libone.so");
    assert_string_equal(needs.name[1], "/b/libtwo.so");
    assert_string_equal(needs.rpath, "/first");
    assert_null(needs.runpath);
    elf_needs_destroy(&needs);
    assert_true(elf_needs_read(put("a", DT_RPATH, "/first", DT_RUNPATH, "/second", 0), &needs));
    assert_null(needs.rpath); /* it does not count beside the other */
    assert_string_equal(needs.runpath, "/second");
    assert_int_equal(needs.count, 0);
    elf_needs_destroy(&needs);
}

static void a_dynamic_section_may_end_without_a_null(void **state)
{
    (void)state;
    struct elf_needs needs;
    image_begin();
    image_say(DT_NEEDED, "libone.so");
    image.segment[2].p_filesz = entries * sizeof(Elf64_Dyn);
    assert_true(elf_needs_read(image_write("a", sizeof image), &needs));
    assert_int_equal(needs.count, 1);
    elf_needs_destroy(&needs);
}

static void no_more_names_are_kept_than_there_is_room_for(void **state)
{
    (void)state;
    struct elf_needs needs;
    image_begin();
    for (int i = 0; i < ELF_NEEDS_MAX + 10; i++)
        image_say(DT_NEEDED, "libone.so");
    assert_true(elf_needs_read(image_write("a", sizeof image), &needs));
    assert_int_equal(needs.count, ELF_NEEDS_MAX);
    assert_string_equal(needs.name[ELF_NEEDS_MAX - 1], "libone.so");
    elf_needs_destroy(&needs);
}

static void hostile_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset, bytes;
        uint64_t value;
    } changes[] = {
        {0, 1, 'E'},
        {EI_CLASS, 1, ELFCLASS32},
        {EI_DATA, 1, 3},
        {offsetof(Elf64_Ehdr, e_phentsize), 2, 32},
        {offsetof(Elf64_Ehdr, e_phnum), 2, 0},
        {offsetof(Elf64_Ehdr, e_phnum), 2, UINT16_MAX},
        {offsetof(Elf64_Ehdr, e_phoff), 8, sizeof image + 8},
        {offsetof(Elf64_Ehdr, e_phoff), 8, sizeof image},
        {offsetof(Elf64_Ehdr, e_phoff), 8, offsetof(struct image, segment) + 4},
        {offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 7},
        {offsetof(struct image, segment[2].p_type), 4, PT_NOTE},
        {offsetof(struct image, segment[2].p_offset), 8, sizeof image + 8},
        {offsetof(struct image, segment[2].p_offset), 8, offsetof(struct image, entry) + 1},
        {offsetof(struct image, segment[2].p_offset), 8, UINT64_MAX - 7},
        {offsetof(struct image, segment[2].p_filesz), 8, UINT64_MAX},
        {offsetof(struct image, segment[2].p_filesz), 8, sizeof image},
        {offsetof(struct image, segment[1].p_offset), 8, sizeof image},
        {offsetof(struct image, segment[1].p_offset), 8, UINT64_MAX},
        {offsetof(struct image, segment[1].p_offset), 8, INT64_MAX},
        {offsetof(struct image, segment[1].p_type), 4, PT_NOTE},
        {offsetof(struct image, segment[1].p_vaddr), 8, 4 * BASE},
        {offsetof(struct image, segment[1].p_filesz), 8, offsetof(struct image, strings)},
        {offsetof(struct image, entry[0].d_un), 8, 0},
        {offsetof(struct image, entry[0].d_un), 8, UINT64_MAX},
        {offsetof(struct image, entry[0].d_tag), 8, DT_SYMTAB},
        {offsetof(struct image, entry[1].d_un), 8, STRINGS + 1},
        {offsetof(struct image, entry[1].d_un), 8, UINT64_MAX},
        {offsetof(struct image, entry[1].d_un), 8, 1},
        {offsetof(struct image, entry[1].d_un), 8, 5}, /* the name has no end there */
        {offsetof(struct image, entry[2].d_un), 8, STRINGS},
        {offsetof(struct image, entry[2].d_un), 8, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct elf_needs needs;
        image_begin();
        image_say(DT_NEEDED, "libone.so");
        memcpy((char *)&image + changes[i].offset, &changes[i].value, changes[i].bytes);
        if (elf_needs_read(image_write("refused", sizeof image), &needs))
            fail_msg("change %zu is accepted", i);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    struct elf_needs needs;
    assert_false(elf_needs_read("/nowhere/program", &needs));
    assert_false(elf_needs_read(root, &needs));
    assert_false(elf_needs_read("/dev/null", &needs));
    image_begin();
    assert_false(elf_needs_read(image_write("refused", 0), &needs));
    memcpy(&image, "#!/bin/sh\n", 10);
    assert_refused();
}

/* Whatever a file says, what is read from it lies in it. */
static void damaged_files_never_lead_outside(void **state)
{
    (void)state;
    struct image good;
    image_begin();
    image_say(DT_NEEDED, "libone.so");
    image_say(DT_RPATH, "/first");
    good = image;
    const size_t last = offsetof(struct image, entry[entries + 1]);
    for (size_t size = 0; size < sizeof image; size += size < 600 ? 1 : 509) {
        struct elf_needs needs;
        assert_false(elf_needs_read(image_write("short", size), &needs));
    }
    for (size_t at = 0; at < last; at++)
        for (int flip = 1; flip <= 0x80; flip *= 8) {
            struct elf_needs needs;
            image = good;
            ((unsigned char *)&image)[at] ^= (unsigned char)flip;
            if (!elf_needs_read(image_write("damaged", sizeof image), &needs))
                continue;
            const char *begin = needs.file, *end = begin + needs.bytes;
            for (uint32_t i = 0; i < needs.count; i++) {
                assert_true(needs.name[i] >= begin && needs.name[i] < end);
                assert_non_null(memchr(needs.name[i], 0, (size_t)(end - needs.name[i])));
            }
            assert_true(needs.rpath == NULL || (needs.rpath >= begin && needs.rpath < end));
            elf_needs_destroy(&needs);
        }
}

static void a_path_that_would_win_asks_for_preloads(void **state)
{
    (void)state;
    const char *lib64 = place("lib64");
    char by_path[PATH_MAX], libraries[PATH_MAX], origin[PATH_MAX];
    mkdir(lib64, 0700);
    mkdir(place("own"), 0700);
    put("lib64/libascendcl.so", 0);
    snprintf(by_path, sizeof by_path, "%s/vendor/libascendcl.so", root);
    snprintf(libraries, sizeof libraries, "/nowhere::%s/own", root);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    lib64 = realpath(lib64, NULL);
    assert_non_null(lib64);

    assert_false(elf_needs_preload("/nowhere/program", lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libc.so.6", 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libascendcl.so", 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libascendcl.so", DT_RUNPATH, "/vendor", 0), lib64));
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libascendcl.so", DT_RPATH, "/vendor", 0), lib64));
    assert_true(elf_needs_preload(put("p", DT_NEEDED, by_path, 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libnone.so", DT_RPATH, "/vendor", 0), lib64));

    /* By way of a library, wherever that is found: each in its turn. */
    put("own/libown.so", DT_NEEDED, "libascendcl.so", DT_RPATH, "/vendor", 0);
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libown.so", 0), lib64));
    unsetenv("LD_LIBRARY_PATH");
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libown.so", 0), lib64));
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libown.so", DT_RUNPATH, "$ORIGIN/own", 0), lib64));
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libown.so", DT_RUNPATH, "${ORIGIN}/own", 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libown.so", DT_RUNPATH, "$ELSEWHERE/own", 0), lib64));
    snprintf(origin, sizeof origin, "/nowhere;%s/own", root);
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libown.so", DT_RPATH, origin, 0), lib64));
    assert_true(elf_needs_preload(put("p", DT_NEEDED, place("own/libown.so"), 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "/nowhere/libown.so", 0), lib64));

    /* A DT_RPATH of the program is for its libraries' libraries too. */
    put("own/libfirst.so", DT_NEEDED, "libsecond.so", 0);
    put("own/libsecond.so", DT_NEEDED, "libascendcl.so", 0);
    assert_true(elf_needs_preload(put("p", DT_NEEDED, "libfirst.so", DT_RPATH, origin, 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libfirst.so", DT_RUNPATH, origin, 0), lib64));

    /* Libraries that need each other. */
    put("own/libfirst.so", DT_NEEDED, "libsecond.so", DT_RUNPATH, "$ORIGIN", 0);
    put("own/libsecond.so", DT_NEEDED, "libfirst.so", DT_RUNPATH, "$ORIGIN", 0);
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libfirst.so", DT_RUNPATH, origin, 0), lib64));
    free((char *)lib64);
}

static void paths_that_are_too_long_are_passed_over(void **state)
{
    (void)state;
    static char deep[PATH_MAX + 100], name[PATH_MAX + 100];
    memset(deep, 'd', sizeof deep - 1);
    deep[0] = '/';
    memset(name, 'n', sizeof name - 1);
    put("own/libown.so", DT_NEEDED, "libascendcl.so", DT_RPATH, "/vendor", 0);
    char *lib64 = realpath(place("lib64"), NULL);
    assert_non_null(lib64);
    assert_false(elf_needs_preload(put("p", DT_NEEDED, "libown.so", DT_RUNPATH, deep, 0), lib64));
    assert_false(elf_needs_preload(put("p", DT_NEEDED, name, DT_RPATH, "/vendor", 0), lib64));
    free(lib64);
}

static void more_libraries_than_there_is_room_for_are_passed_over(void **state)
{
    (void)state;
    char own[PATH_MAX], name[64];
    snprintf(own, sizeof own, "%s/own", root);
    for (int i = 0; i < 2; i++) {
        image_begin();
        image_say(DT_RUNPATH, own);
        for (int j = 0; j < 200; j++) {
            snprintf(name, sizeof name, "own/lib%d.so", 200 * i + j);
            image_say(DT_NEEDED, strchr(name, '/') + 1);
        }
        image_write(i == 0 ? "p" : "own/lib0.so", sizeof image);
    }
    for (int i = 1; i < 400; i++) {
        snprintf(name, sizeof name, "own/lib%d.so", i);
        put(name, DT_NEEDED, "libascendcl.so", i == 399 ? DT_RPATH : DT_RUNPATH, "/vendor", 0);
    }
    char *lib64 = realpath(place("lib64"), NULL);
    assert_non_null(lib64);
    /* The last one would win, but is beyond what is looked at. */
    assert_false(elf_needs_preload(place("p"), lib64));
    put("own/lib100.so", DT_NEEDED, "libascendcl.so", DT_RPATH, "/vendor", 0);
    assert_true(elf_needs_preload(place("p"), lib64));
    free(lib64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_and_paths_are_read),
        cmocka_unit_test(a_dynamic_section_may_end_without_a_null),
        cmocka_unit_test(no_more_names_are_kept_than_there_is_room_for),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(damaged_files_never_lead_outside),
        cmocka_unit_test(a_path_that_would_win_asks_for_preloads),
        cmocka_unit_test(paths_that_are_too_long_are_passed_over),
        cmocka_unit_test(more_libraries_than_there_is_room_for_are_passed_over),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
