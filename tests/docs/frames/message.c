/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that prints why its first call fails.
 */
#include <stdio.h>

#include "acl/acl.h"

int main(void)
{
    if (aclrtSetDevice(0) != 0)
        puts(aclGetRecentErrMsg());
    return 0;
}
