/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What libhccl.so asks of libbelay_gloo.so, which alone is linked with Gloo: pairs of connected sockets, and
 * messages over them. No exception leaves these functions.
 *
 * The two are separate libraries because frameworks bring a Gloo of their own, of another version, whose
 * symbols the process has loaded before: only a library that is opened with RTLD_DEEPBIND has its own.
 */
#ifndef BELAY_HCCL_GLOO_H
#define BELAY_HCCL_GLOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gloo_status {
    GLOO_DONE,
    GLOO_ABORTED,   /* by abort */
    GLOO_TIMED_OUT, /* all pairs are closed then */
    GLOO_LOST,      /* the peer has closed the connection, or it broke */
    GLOO_FAILED
};

enum { GLOO_REASON_BYTES = 256 };

struct gloo_pairs;
struct gloo_message;

/* Each function that returns a status other than GLOO_DONE writes why, cut to GLOO_REASON_BYTES. */
struct gloo_transport {
    /* A pair for each peer, which listens at the address, in numbers. Connecting takes `timeout_ms` at most.
     */
    enum gloo_status (*open)(const char *host, uint32_t rank, uint32_t rank_count, int64_t timeout_ms,
                             struct gloo_pairs **pairs, char *reason);
    enum gloo_status (*where)(struct gloo_pairs *pairs, uint32_t peer, struct sockaddr_storage *address,
                              char *reason);
    /* Blocks until the peer has connected too. All ranks go through their peers in ascending order. */
    enum gloo_status (*connect)(struct gloo_pairs *pairs, uint32_t peer, const struct sockaddr *address,
                                socklen_t length, char *reason);
    /* Starts a message; it is matched by slot, and within a slot by order. What is received may be shorter
     * than `bytes`; were it longer, Gloo would end the process. `bytes` is not 0. */
    enum gloo_status (*post)(struct gloo_pairs *pairs, uint32_t peer, uint64_t slot, void *data, size_t bytes,
                             bool receives, struct gloo_message **message, char *reason);
    enum gloo_status (*wait)(struct gloo_message *message, int64_t timeout_ms, char *reason);
    /* Ends the wait for it, the one under way or the next; from any thread. */
    void (*abort)(struct gloo_message *message);
    /* Its data is not touched any more when this returns. */
    void (*discard)(struct gloo_message *message);
    /* Closes the connections; the peers notice. */
    void (*shut)(struct gloo_pairs *pairs);
    /* No message is left. */
    void (*close)(struct gloo_pairs *pairs);
};

__attribute__((visibility("default"))) const struct gloo_transport *belay_gloo_transport(void);

#ifdef __cplusplus
}
#endif

#endif
