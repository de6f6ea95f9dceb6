/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A process that is connected to a pair in the place of a rank and does not know the identity, or that of
 * another rank. Filters and addresses would stop it before, so rank 1 plays it: what it says over its
 * connections is changed on the way (the linker's --wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hccl/mesh_ranks.h"

/* Of a proof: 16 bytes of the secret, and the rank. */
enum { NO_BYTE = -1, BYTE_OF_SECRET = 15, BYTE_OF_RANK = 16 };
static int changed = NO_BYTE;

HcclResult __real_mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                                size_t message_count, int64_t deadline, struct mesh_fault *fault);
HcclResult __wrap_mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                                size_t message_count, int64_t deadline, struct mesh_fault *fault);

HcclResult __wrap_mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                                size_t message_count, int64_t deadline, struct mesh_fault *fault)
{
    unsigned char proof[64];
    struct mesh_message told[4];
    assert_true(message_count <= 4);
    for (size_t i = 0; i < message_count; i++) {
        told[i] = messages[i];
        if (changed == NO_BYTE || told[i].receives)
            continue;
        memcpy(proof, told[i].data, told[i].bytes);
        proof[changed] ^= 4;
        told[i].data = proof;
    }
    return __real_mesh_exchange(mesh, tag, told, message_count, deadline, fault);
}

static int join_as_told(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0) {
        changed = NO_BYTE;
        RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_E_TCP_CONNECT, &fault);
        RANK_CHECK(
            strstr(fault.sentence, "rank 0 has no connection to rank 1: whoever answers there is somebody"));
    } else {
        RANK_CHECK(join_ranks(ranks, rank, &mesh, &fault) != HCCL_SUCCESS);
    }
    RANK_CHECK(mesh == NULL);
    return 0;
}

static void who_does_not_know_the_secret_is_refused(void **state)
{
    (void)state;
    changed = BYTE_OF_SECRET;
    run_processes(2, join_as_told);
}

static void who_is_another_rank_is_refused(void **state)
{
    (void)state;
    changed = BYTE_OF_RANK;
    run_processes(2, join_as_told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_know_the_secret_is_refused),
        cmocka_unit_test(who_is_another_rank_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
