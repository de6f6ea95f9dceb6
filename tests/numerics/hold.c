/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Apart, because the runtime's tasks and the ones that are judged have one name. */
#include "numerics/hold.h"

#include "support/blocked_stream.h"

int hold_stream(aclrtStream stream)
{
    return block_stream(stream);
}

void let_stream_go(void)
{
    unblock_stream();
}
