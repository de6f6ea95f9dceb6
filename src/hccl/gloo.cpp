/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libbelay_gloo.so: Gloo's transport over TCP behind the functions of gloo.h. Of Gloo it uses devices, pairs
 * and unbound buffers; no store, no collective. What the calls may assume of each other, gloo.h says.
 */
#include "hccl/gloo.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#pragma GCC diagnostic push // Gloo's headers are not written for these warnings
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <gloo/common/error.h>
#include <gloo/transport/context.h>
#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/device.h>
#pragma GCC diagnostic pop

using std::chrono::milliseconds;

struct gloo_pairs {
    uint32_t rank;
    std::shared_ptr<gloo::transport::Device> device;
    std::shared_ptr<gloo::transport::Context> context;
};

struct gloo_message {
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
    bool receives;
};

namespace
{

// What was thrown, without the place in Gloo's sources that opens it: "[/build/gloo/pair.cc:598] Connection
// ...".
void write_reason(char *reason, const char *what) noexcept
{
    const char *end = what[0] == '[' ? std::strstr(what, "] ") : nullptr;
    std::snprintf(reason, GLOO_REASON_BYTES, "%s", end != nullptr ? end + 2 : what);
}

// Runs `body` and turns what it throws into a status.
template <typename Body> gloo_status guarded(char *reason, Body body) noexcept
{
    try {
        return body();
    } catch (const gloo::IoException &exception) {
        write_reason(reason, exception.what());
        // Whoever waits too long has all pairs closed, and those who wait for another message learn it by
        // these words: Gloo throws the same for both.
        bool is_late = std::strstr(reason, "Timed out waiting") != nullptr ||
                       std::strstr(reason, "Application timeout") != nullptr ||
                       std::strstr(reason, "Connect timeout") != nullptr;
        return is_late ? GLOO_TIMED_OUT : GLOO_LOST;
    } catch (const std::exception &exception) {
        write_reason(reason, exception.what());
    } catch (...) {
        std::snprintf(reason, GLOO_REASON_BYTES, "Gloo threw what is no exception of the standard library");
    }
    return GLOO_FAILED;
}

// One device for each address, which has a thread: shared by all that use it, and gone with the last of them.
// The table is never destroyed, because pairs may outlive this library's static objects, and neither is
// anything of the lock.
std::mutex devices_lock;
std::shared_ptr<gloo::transport::Device> device_at(const std::string &host)
{
    static std::map<std::string, std::weak_ptr<gloo::transport::Device>> *devices;
    std::lock_guard<std::mutex> held(devices_lock);
    if (devices == nullptr)
        devices = new std::map<std::string, std::weak_ptr<gloo::transport::Device>>;
    std::shared_ptr<gloo::transport::Device> device = (*devices)[host].lock();
    if (device == nullptr) {
        gloo::transport::tcp::attr attributes(host.c_str());
        attributes.ai_family = host.find(':') == std::string::npos ? AF_INET : AF_INET6;
        device = gloo::transport::tcp::CreateDevice(attributes);
        (*devices)[host] = device;
    }
    return device;
}

gloo_status open_pairs(const char *host, uint32_t rank, uint32_t rank_count, int64_t timeout_ms,
                       gloo_pairs **pairs, char *reason)
{
    return guarded(reason, [&] {
        std::unique_ptr<gloo_pairs> made(new gloo_pairs);
        made->rank = rank;
        made->device = device_at(host);
        made->context = made->device->createContext(static_cast<int>(rank), static_cast<int>(rank_count));
        // A pair waits five times as long to be connected as it is told here.
        made->context->setTimeout(milliseconds(timeout_ms / 5 + 1));
        for (uint32_t peer = 0; peer < rank_count; peer++)
            if (peer != rank)
                made->context->createPair(static_cast<int>(peer));
        *pairs = made.release();
        return GLOO_DONE;
    });
}

gloo_status where(gloo_pairs *pairs, uint32_t peer, sockaddr_storage *address, char *reason)
{
    return guarded(reason, [&] {
        const gloo::transport::tcp::Address bound(
            pairs->context->getPair(static_cast<int>(peer))->address().bytes());
        *address = bound.getSockaddr();
        return GLOO_DONE;
    });
}

gloo_status connect_pair(gloo_pairs *pairs, uint32_t peer, const sockaddr *address, socklen_t length,
                         char *reason)
{
    return guarded(reason, [&] {
        const gloo::transport::tcp::Address there(address, length);
        pairs->context->getPair(static_cast<int>(peer))->connect(there.bytes());
        return GLOO_DONE;
    });
}

gloo_status post(gloo_pairs *pairs, uint32_t peer, uint64_t slot, void *data, size_t bytes, bool receives,
                 gloo_message **message, char *reason)
{
    return guarded(reason, [&] {
        std::unique_ptr<gloo_message> made(new gloo_message);
        made->receives = receives;
        made->buffer = pairs->context->createUnboundBuffer(data, bytes);
        if (receives)
            made->buffer->recv(static_cast<int>(peer), slot, 0, bytes);
        else
            made->buffer->send(static_cast<int>(peer), slot, 0, bytes);
        *message = made.release();
        return GLOO_DONE;
    });
}

gloo_status wait(gloo_message *message, int64_t timeout_ms, char *reason)
{
    return guarded(reason, [&] {
        // Gloo adds this to the clock's nanoseconds; ten years are for ever.
        const int64_t longest_ms = INT64_C(10) * 365 * 24 * 3600 * 1000;
        const milliseconds timeout(timeout_ms < longest_ms ? timeout_ms : longest_ms);
        bool is_done =
            message->receives ? message->buffer->waitRecv(timeout) : message->buffer->waitSend(timeout);
        return is_done ? GLOO_DONE : GLOO_ABORTED;
    });
}

void abort_wait(gloo_message *message)
{
    char reason[GLOO_REASON_BYTES];
    guarded(reason, [&] {
        if (message->receives)
            message->buffer->abortWaitRecv();
        else
            message->buffer->abortWaitSend();
        return GLOO_DONE;
    });
}

void discard(gloo_message *message)
{
    delete message;
}

void shut(gloo_pairs *pairs)
{
    char reason[GLOO_REASON_BYTES];
    for (int peer = 0; peer < pairs->context->size; peer++)
        guarded(reason, [&] {
            if (static_cast<uint32_t>(peer) != pairs->rank)
                pairs->context->getPair(peer)->close();
            return GLOO_DONE;
        });
}

void close_pairs(gloo_pairs *pairs)
{
    char reason[GLOO_REASON_BYTES];
    guarded(reason, [&] {
        delete pairs;
        return GLOO_DONE;
    });
}

} // namespace

const gloo_transport *belay_gloo_transport(void)
{
    static const gloo_transport transport = {open_pairs, where,   connect_pair, post,       wait,
                                             abort_wait, discard, shut,         close_pairs};
    return &transport;
}
