/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Communicators of the two devices: how they are made, what they answer, and their end. No call here reaches
 * for another process.
 */
#include <string.h>

#include "fuzz/collectives.h"
#include "fuzz/verdict.h"

/* arguments: the call's, in parentheses. */
#define JUDGE(name, arguments, expected) judge(#name, (int)name arguments, (int)(expected), 0, 0)

static int pointer_code(bool is_null)
{
    return is_null ? HCCL_E_PTR : 0;
}

/* Each is refused before anything is opened. */
static void make_wrongly(struct world *world)
{
    int32_t devices[] = {0, 1};
    HcclComm comms[2];
    HcclRootInfo root;
    HcclCommConfig config;
    memset(&root, 0, sizeof root);
    HcclCommConfigInit(&config);
    config.reserved[8] ^= draw(world, 2) != 0; /* of the magic word */
    const bool is_magic = config.reserved[8] == (char)0xf0;
    const uint32_t wrong = draw(world, 5);
    devices[1] = wrong == 0 ? 0 : wrong == 1 ? 2 : wrong == 2 ? -1 : 1;
    JUDGE(HcclCommInitAll, (wrong == 3 ? 0 : 2, wrong == 4 ? NULL : devices, comms),
          wrong == 4 ? HCCL_E_PTR : HCCL_E_PARA);
    JUDGE(HcclCommInitAll, (2, devices, NULL), HCCL_E_PTR);
    JUDGE(HcclGetRootInfo, (NULL), HCCL_E_PTR);

    const uint32_t rank_count = draw(world, 2) != 0 ? 0 : 2000, rank = draw(world, 4);
    JUDGE(HcclCommInitRootInfo, (rank_count, &root, rank, comms), HCCL_E_PARA);
    JUDGE(HcclCommInitRootInfo, (2, NULL, rank, comms), HCCL_E_PTR);
    JUDGE(HcclCommInitRootInfoConfig, (2, &root, 2 + rank, &config, comms), HCCL_E_PARA);
    JUDGE(HcclCommInitRootInfoConfig, (2, &root, rank, NULL, comms), HCCL_E_PTR);
    JUDGE(HcclCommInitClusterInfo, (NULL, rank, comms), HCCL_E_PTR);
    JUDGE(HcclCommInitClusterInfo, ("/nowhere", rank, comms), HCCL_E_OPEN_FILE_FAILURE);
    JUDGE(HcclCommInitClusterInfoConfig, ("/nowhere", rank, &config, comms),
          is_magic ? HCCL_E_OPEN_FILE_FAILURE : HCCL_E_PARA);
}

void make_communicators(struct world *world, HcclComm comms[2])
{
    int32_t devices[] = {0, 1};
    if (draw(world, 2) != 0)
        make_wrongly(world);
    DEMAND(HcclCommInitAll(2, devices, comms) == 0, "communicators");
    DEMAND(comms[0] != NULL && comms[1] != NULL && comms[0] != comms[1], "their handles");
}

/* A rank on its own, which waits for nobody. */
static void divide(struct world *world, HcclComm parent, uint32_t rank)
{
    HcclCommConfig config;
    HcclComm own = NULL;
    uint32_t count = 0, ranks[] = {rank, rank}, name_bytes = draw(world, COMM_NAME_MAX_LENGTH);
    HcclCommConfigInit(&config);
    memset(config.hcclCommName, 'a', name_bytes);
    JUDGE(HcclCreateSubCommConfig, (&parent, 2, ranks, 7, 0, &config, &own), HCCL_E_PARA);
    JUDGE(HcclCreateSubCommConfig, (&parent, 1, ranks, 7, 1, &config, &own), HCCL_E_PARA);
    JUDGE(HcclCreateSubCommConfig, (&parent, 1, ranks, 7, 0, NULL, &own), HCCL_E_PTR);
    DEMAND(HcclCreateSubCommConfig(&parent, 0, NULL, UINT32_MAX, 0, &config, &own) == 0 && own == NULL,
           "a part without the caller");
    JUDGE(HcclCreateSubCommConfig, (&parent, 1, ranks, 7, 0, &config, &own), 0);
    DEMAND(HcclGetRankSize(own, &count) == 0 && count == 1, "%u ranks", count);
    JUDGE(HcclCommDestroy, (own), 0);
}

static void ask(struct world *world, HcclComm comm, int expected)
{
    uint32_t number = 9;
    HcclResult error;
    HcclConfigValue value = {.value = (int32_t)draw(world, 5) - 1}, found = {.value = 9};
    char name[128];
    const bool is_null = draw(world, 4) == 0, is_value = value.value >= 0 && value.value <= 2;
    const int of_place = expected != 0 ? expected : pointer_code(is_null);
    JUDGE(HcclGetRankSize, (comm, is_null ? NULL : &number), of_place);
    JUDGE(HcclGetRankId, (comm, is_null ? NULL : &number), of_place);
    JUDGE(HcclGetCommName, (comm, is_null ? NULL : name), of_place);
    JUDGE(HcclGetCommAsyncError, (comm, is_null ? NULL : &error), of_place);
    const HcclConfig config = draw(world, 4) == 0 ? HCCL_ACCELERATOR : HCCL_DETERMINISTIC;
    const int of_config = config == HCCL_DETERMINISTIC ? 0 : HCCL_E_PARA;
    const int set = (int)HcclSetCommConfig(comm, config, value);
    judge("HcclSetCommConfig", set, expected != 0 ? expected : is_value ? of_config : HCCL_E_PARA, 0, 0);
    const int got = (int)HcclGetCommConfig(comm, config, is_null ? NULL : &found);
    judge("HcclGetCommConfig", got, of_place != 0 ? of_place : of_config, 0, 0);
    DEMAND(set != 0 || got != 0 || found.value == value.value, "%d and not %d", found.value, value.value);
    const int kept = (int)HcclSetConfig(config, value);
    judge("HcclSetConfig", kept, is_value ? of_config : HCCL_E_PARA, 0, 0);
    JUDGE(HcclGetConfig, (config, is_null ? NULL : &found), is_null ? HCCL_E_PTR : of_config);
    DEMAND(kept != 0 || is_null || found.value == value.value, "%d and not %d", found.value, value.value);
}

static void ask_what_is_not_there(struct world *world, HcclComm comm)
{
    void *address = (void *)(uintptr_t)draw_word(world), *handle;
    uint32_t ranks[] = {0, 1};
    bool spare[] = {true, false};
    const HcclResult statuses[] = {
        HcclCommSuspend(comm),
        HcclCommResume(comm),
        HcclCommWorkingDevNicSet(comm, ranks, spare, 2),
        HcclCommRegister(comm, address, 64, &handle, 0),
        HcclCommDeregister(comm, address),
        HcclCommExchangeMem(comm, address, ranks, 2),
        HcclCommSymWinRegister(comm, address, 64, &handle, 0),
        HcclCommSymWinDeregister(address),
        HcclCommSetMemoryRange(comm, address, 64, 64, 0),
        HcclCommUnsetMemoryRange(comm, address),
        HcclCommActivateCommMemory(comm, address, 64, 0, NULL, 0),
        HcclCommDeactivateCommMemory(comm, address),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        DEMAND(statuses[i] == HCCL_E_NOT_SUPPORT, "function %zu gave %d", i, (int)statuses[i]);
}

void ask_communicators(struct world *world, const HcclComm comms[2], bool is_well)
{
    const uint32_t rank = draw(world, 2);
    uint32_t number = 9;
    DEMAND(HcclGetRankId(comms[rank], &number) == 0 && number == rank, "rank %u is %u", rank, number);
    ask(world, comms[rank], 0);
    ask(world, (HcclComm)draw_forged(world, comms[rank]), HCCL_E_PARA);
    ask(world, NULL, HCCL_E_PTR);
    if (is_well && draw(world, 2) != 0)
        divide(world, comms[rank], rank);
    if (draw(world, 2) != 0)
        ask_what_is_not_there(world, comms[rank]);
    DEMAND(HcclGroupEnd() == HCCL_E_PARA, "an end without a start");
    DEMAND(HcclGetCommConfigCapability() == 12, "features");
    DEMAND(HcclGetErrorString((HcclResult)(int32_t)draw_word(world)) != NULL, "a name");
}

void end_communicators(struct world *world, const HcclComm comms[2])
{
    const uint32_t first = draw(world, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const HcclComm comm = comms[first ^ i];
        JUDGE(HcclCommDestroy, (comm), 0);
        JUDGE(HcclCommDestroy, (comm), HCCL_E_PARA);
        ask(world, comm, HCCL_E_PARA);
    }
}
