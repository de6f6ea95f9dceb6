/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: keys and handles of what processes share that name nothing. What does share is
 * left to tests/runtime/ipc_*.c, as an export waits for work that a program may not let end.
 */
#include <string.h>

#include "fuzz/world.h"

enum { KEY = 65 };

/* Digits, so that most keys are read, and some other character now and then. */
static void draw_key(struct world *world, char key[KEY])
{
    static const char digits[] = "0123456789abcdef";
    const bool is_odd = draw(world, 8) == 0;
    uint64_t state = draw_word(world);
    for (uint32_t i = 0; i < KEY - 1; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        key[i] = digits[state >> 60];
    }
    if (is_odd)
        key[draw(world, KEY - 1)] = (char)draw(world, 256);
    key[KEY - 1] = '\0';
}

void step_shared(struct world *world)
{
    char key[KEY];
    aclrtIpcEventHandle handle;
    aclrtEvent event = NULL;
    void *address = key;
    int32_t process = 1;
    unsigned char local;
    draw_key(world, key);
    memcpy(handle.reserved, key, sizeof handle.reserved);
    const struct block *block = &world->block[draw(world, BLOCKS)];
    const uint64_t too_many = block->bytes + 1 + draw(world, 9);
    const bool is_null = draw(world, 4) == 0;
    (void)aclGetRecentErrMsg();
    int status = 0;
    switch (draw(world, 6)) {
    case 0:
        status = aclrtIpcMemGetExportKey(is_null ? NULL : &local, 1, key, sizeof key, draw(world, 2));
        DEMAND(status == (is_null ? 100000 : 107000) || status == 207000, "export gave %d", status);
        break;
    case 1:
        status = aclrtIpcMemGetExportKey(block->address, too_many, key, sizeof key, 1);
        DEMAND(status == (block->address == NULL ? 100000 : 107000) || status == 207000, "export gave %d",
               status);
        break;
    case 2:
        status = aclrtIpcMemImportByKey(&address, is_null ? NULL : key, draw(world, 2));
        DEMAND(status == (is_null ? 100000 : 107000) || status == 107002 || status == 207000,
               "import gave %d", status);
        DEMAND(address == key, "import wrote %p", address);
        break;
    case 3:
        status = aclrtIpcMemSetImportPid(key, is_null ? NULL : &process, 1);
        DEMAND(status == (is_null ? 100000 : 107000), "naming gave %d", status);
        break;
    case 4:
        status = aclrtIpcMemClose(is_null ? NULL : key);
        DEMAND(status == (is_null ? 100000 : 107000), "close gave %d", status);
        break;
    default:
        status = aclrtIpcOpenEventHandle(handle, is_null ? NULL : &event);
        DEMAND(status == (is_null ? 100000 : 107000) && event == NULL, "open gave %d", status);
        status = aclrtIpcGetEventHandle((aclrtEvent)&local, &handle);
        DEMAND(status == 107017, "a foreign event gave %d", status);
        break;
    }
    DEMAND(aclGetRecentErrMsg() != NULL, "%d without a sentence", status);
}
