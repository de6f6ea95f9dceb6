/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The group of one rank that the samples of functions with ranks name. Include cmocka.h before; the test is
 * linked with libhccl.
 */
#ifndef BELAY_TESTS_OPS_SAMPLE_GROUP_H
#define BELAY_TESTS_OPS_SAMPLE_GROUP_H

#include <string.h>

#include "hccl/hccl.h"

static HcclComm sample_group;

/* To be called before other communicators are made, with device 0 set. */
static inline int open_sample_group(void)
{
    int32_t device = 0;
    char name[COMM_NAME_MAX_LENGTH];
    return HcclCommInitAll(1, &device, &sample_group) != HCCL_SUCCESS ||
           HcclGetCommName(sample_group, name) != HCCL_SUCCESS || strcmp(name, "belay_process_0") != 0;
}

static inline int close_sample_group(void)
{
    return HcclCommDestroy(sample_group) != HCCL_SUCCESS;
}

#endif
