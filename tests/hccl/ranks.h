/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The ranks of a communicator within this process: a device, a stream and memory for each. Include cmocka.h
 * before.
 */
#ifndef BELAY_TESTS_HCCL_RANKS_H
#define BELAY_TESTS_HCCL_RANKS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "support/failure.h"

enum { RANKS_MOST = 8, BUFFERS = 4 };

struct ranks {
    uint32_t count;
    HcclComm comm[RANKS_MOST];
    aclrtStream stream[RANKS_MOST];
    void *buffer[RANKS_MOST][BUFFERS];
    size_t bytes[RANKS_MOST][BUFFERS];
};

/* To be called before the library is used. */
static inline void ranks_prepare(void)
{
    setenv("BELAY_DEVICES", "8", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 0);
}

static inline void ranks_open(struct ranks *ranks, uint32_t count)
{
    int32_t device[RANKS_MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(ranks, 0, sizeof *ranks);
    ranks->count = count;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(aclrtSetDevice((int32_t)i), 0);
        assert_int_equal(aclrtCreateStream(&ranks->stream[i]), 0);
    }
    assert_int_equal(HcclCommInitAll(count, device, ranks->comm), HCCL_SUCCESS);
}

/* Memory of a rank, which stays until it is asked for again or the ranks are closed, with these bytes. */
static inline void *ranks_memory(struct ranks *ranks, uint32_t rank, int buffer, const void *from,
                                 size_t bytes)
{
    assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
    void **own = &ranks->buffer[rank][buffer];
    if (ranks->bytes[rank][buffer] < bytes || *own == NULL) {
        if (*own != NULL)
            assert_int_equal(aclrtFree(*own), 0);
        ranks->bytes[rank][buffer] = bytes + 64;
        assert_int_equal(aclrtMalloc(own, bytes + 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    }
    if (bytes > 0 && from != NULL)
        assert_int_equal(aclrtMemcpy(*own, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    if (bytes > 0 && from == NULL)
        assert_int_equal(aclrtMemset(*own, bytes, 0xA5, bytes), 0);
    return *own;
}

static inline void ranks_read(const struct ranks *ranks, uint32_t rank, int buffer, void *to, size_t bytes)
{
    assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
    if (bytes > 0)
        assert_int_equal(
            aclrtMemcpy(to, bytes, ranks->buffer[rank][buffer], bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
}

static inline void ranks_wait_at(const struct ranks *ranks, const char *file, int line)
{
    for (uint32_t i = 0; i < ranks->count; i++) {
        int status = aclrtSynchronizeStream(ranks->stream[i]);
        if (status != 0) {
            const char *sentence = aclGetRecentErrMsg();
            print_error("%s:%d: rank %u: %d, %s\n", file, line, i, status, sentence ? sentence : "");
            _fail(file, line);
        }
    }
}
#define ranks_wait(ranks) ranks_wait_at((ranks), __FILE__, __LINE__)

static inline void ranks_close(struct ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->count; i++) {
        assert_int_equal(aclrtSetDevice((int32_t)i), 0);
        if (ranks->comm[i] != NULL)
            assert_int_equal(HcclCommDestroy(ranks->comm[i]), HCCL_SUCCESS);
        for (int buffer = 0; buffer < BUFFERS; buffer++)
            if (ranks->buffer[i][buffer] != NULL)
                assert_int_equal(aclrtFree(ranks->buffer[i][buffer]), 0);
        assert_int_equal(aclrtDestroyStream(ranks->stream[i]), 0);
    }
}

#endif
