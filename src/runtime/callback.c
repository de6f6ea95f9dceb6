/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Callbacks of the program in stream order.
 */
#include "runtime/stream_queue.h"

void callback_forget_stream(struct stream *stream)
{
    (void)stream;
}
