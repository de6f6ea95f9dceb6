/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writes beside a file and renames, so that neither a full disk nor a killed process costs the user the file
 * that was there.
 */
#include "tools/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/saboteur.h"

enum {
    LINKS_MAX = 40, /* as many as the kernel follows */
    NAMES_MAX = 100 /* of new files that are tried, where those of killed processes are in the way */
};

/* 0 or what errno says. */
static int write_pieces(int file, const char *path, const struct piece *piece, size_t count)
{
    if (disk_is_full(path))
        return ENOSPC;
    for (size_t i = 0; i < count; i++) {
        const char *at = piece[i].bytes;
        for (size_t left = piece[i].count; left > 0;) {
            ssize_t written = write(file, at, left);
            if (written < 0 && errno != EINTR)
                return errno;
            at += written > 0 ? written : 0;
            left -= written > 0 ? (size_t)written : 0;
        }
    }
    return 0;
}

/* The folder part of path, which the kernel has taken and so fits, with its slash; "./" where it has none. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash != NULL)
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path);
    else
        snprintf(folder, PATH_MAX, "./");
}

/* A link there leads to what a process has open, whatever its name is by now; to replace that would miss it.
 */
static bool is_in_proc(const char *folder)
{
    struct statfs system;
    return statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/*
 * Follows links from path to the name of the open file, in name. False where the file cannot be replaced
 * under a name: it is in /proc, or has lost its name since it was opened. The kernel has followed the same
 * links before and may refuse to (fs.protected_symlinks), which is why the file is opened first.
 */
static bool find_name(int file, const char *path, char name[PATH_MAX])
{
    char folder[PATH_MAX], target[PATH_MAX];
    struct stat named, opened;
    snprintf(name, PATH_MAX, "%s", path);
    for (int i = 0; i <= LINKS_MAX; i++) {
        folder_of(name, folder);
        if (is_in_proc(folder))
            return false;
        ssize_t length = readlink(name, target, sizeof target - 1);
        if (length < 0)
            return lstat(name, &named) == 0 && fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
                   named.st_ino == opened.st_ino;
        target[length] = 0;
        int written = target[0] == '/' ? snprintf(name, PATH_MAX, "%s", target)
                                       : snprintf(name, PATH_MAX, "%s%s", folder, target);
        if (written >= PATH_MAX)
            return false;
    }
    return false;
}

/* A new file in the folder; -1 and errno where there can be none. */
static int create_beside(const char *name, mode_t mode, char created[PATH_MAX])
{
    char folder[PATH_MAX];
    folder_of(name, folder);
    for (int i = 0; i < NAMES_MAX; i++) {
        if (snprintf(created, PATH_MAX, "%s.belay-eval-%ld-%d", folder, (long)getpid(), i) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(created, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* Takes over what the file has that is replaced, old; whose file it is may not be ours to say. */
static void take_over(int file, const struct stat *old)
{
    if (fchown(file, old->st_uid, old->st_gid) != 0 && fchown(file, (uid_t)-1, old->st_gid) != 0)
        errno = 0;
    fchmod(file, old->st_mode & 0777);
}

/* name gets the content at once, with the last step. old is what was there, or NULL. */
static bool replace(const char *path, const char *name, const struct stat *old, const struct piece *piece,
                    size_t count, struct fault *fault)
{
    char created[PATH_MAX];
    /* Who may not read the old file shall not catch the new one while it has no owner and mode yet. */
    int file = create_beside(name, old != NULL ? 0600 : 0666, created);
    if (file < 0 && old == NULL)
        return fault_set(fault, "%.256s: %s", path, strerror(errno));
    if (file < 0)
        return fault_set(fault,
                         "%.256s: the new file, which is to take its place, cannot be made beside it: %s",
                         path, strerror(errno));
    if (old != NULL)
        take_over(file, old);
    int error = write_pieces(file, path, piece, count);
    /* Some file systems say only here that there was no room. */
    if (error == 0 && fsync(file) != 0)
        error = errno;
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(created, name) != 0)
        error = errno;
    if (error == 0)
        return true;
    unlink(created);
    return fault_set(fault, "%.256s: writing failed: %s", path, strerror(error));
}

static bool write_in_place(int file, const char *path, const struct piece *piece, size_t count,
                           struct fault *fault)
{
    int error = 0;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file, 0) != 0)
        error = errno;
    if (error == 0)
        error = write_pieces(file, path, piece, count);
    if (close(file) != 0 && error == 0)
        error = errno;
    return error == 0 || fault_set(fault, "%.256s: writing failed: %s", path, strerror(error));
}

bool output_file_write(const char *path, const struct piece *piece, size_t count, struct fault *fault)
{
    char name[PATH_MAX];
    struct stat old;
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0 && errno == ENOENT && lstat(path, &old) == 0) /* a link to a file that is not there yet */
        file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (file < 0 && errno == ENOENT)
        return replace(path, path, NULL, piece, count, fault);
    if (file < 0)
        return fault_set(fault, "%.256s: %s", path, strerror(errno));
    if (fstat(file, &old) != 0 || !S_ISREG(old.st_mode) || !find_name(file, path, name))
        return write_in_place(file, path, piece, count, fault);
    close(file);
    return replace(path, name, &old, piece, count, fault);
}
