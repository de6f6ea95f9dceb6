/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A folder of the program's own, for groups of tests.
 */
#ifndef BELAY_TESTS_SUPPORT_FOLDER_H
#define BELAY_TESTS_SUPPORT_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char root[] = "/tmp/belay-test-XXXXXX";

static inline int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place)
{
    (void)status, (void)flag, (void)place;
    return remove(path);
}

static inline int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
