// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Calls that the programs of these tests make for sure: one that fails ends the program.
#ifndef BELAY_CHECK_MUST_H
#define BELAY_CHECK_MUST_H

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

#define CALL(call)                                                                      \
    do {                                                                                \
        int status_ = static_cast<int>(call);                                           \
        if (status_ != 0) {                                                             \
            std::fprintf(stderr, "%s: %d: %s\n", #call, status_, aclGetRecentErrMsg()); \
            std::exit(3);                                                               \
        }                                                                               \
    } while (0)

#endif
