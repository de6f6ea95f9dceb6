/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gloo ends a wait when it is told to, and returns then.
 */
#include "hccl/mesh_abort.h"

void mesh_abort_exchange(const struct exchange *exchange, uint32_t peer)
{
    const struct gloo_transport *gloo = exchange->mesh->gloo;
    for (size_t i = 0; i < exchange->count; i++) {
        if (peer != ALL_PEERS && peer != exchange->messages[i].peer)
            continue;
        if (exchange->transfers[i].message != NULL)
            gloo->abort(exchange->transfers[i].message);
        if (exchange->transfers[i].answer != NULL)
            gloo->abort(exchange->transfers[i].answer);
    }
}

void mesh_abort_peer(const struct mesh *mesh, uint32_t peer)
{
    for (const struct exchange *exchange = mesh->exchanges; exchange != NULL; exchange = exchange->next)
        mesh_abort_exchange(exchange, peer);
}
