/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The buffers of a queue, and the rules of taking, queueing and freeing them, which always hold.
 */
#ifndef ASCENDC_BUFFERS_H
#define ASCENDC_BUFFERS_H

#include "ascendc/tensor.h"

namespace AscendC
{
/* Whoever fills a position, and whoever empties it. */
constexpr pipe_t producer_of(TPosition from)
{
    switch (from) {
    case TPosition::GM:
    case TPosition::VECIN:
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
        return PIPE_MTE2;
    case TPosition::A2:
    case TPosition::B2:
    case TPosition::C2:
        return PIPE_MTE1;
    case TPosition::CO1:
        return PIPE_M;
    case TPosition::CO2:
    case TPosition::C2PIPE2GM:
        return PIPE_FIX;
    default:
        return PIPE_V;
    }
}

constexpr pipe_t consumer_of(TPosition to)
{
    switch (to) {
    case TPosition::GM:
    case TPosition::VECOUT:
    case TPosition::CO2:
        return PIPE_MTE3;
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
        return PIPE_MTE1;
    case TPosition::A2:
    case TPosition::B2:
    case TPosition::C2:
        return PIPE_M;
    case TPosition::CO1:
    case TPosition::C2PIPE2GM:
        return PIPE_FIX;
    default:
        return PIPE_V;
    }
}

/* The buffers of a queue: equal ones, one after another. */
struct Buffers {
    enum State : uint8_t { FREE, TAKEN, QUEUED, TAKEN_OUT };
    enum { MOST = 32 };
    uint8_t *first = nullptr;
    uint32_t bytes = 0, slots = 0; /* slots: two marks for each buffer, full and empty */
    uint8_t number = 0, next = 0, head = 0, queued = 0;
    State states[MOST] = {};
    uint8_t order[MOST] = {};
    bool was_freed[MOST] = {};
    Where made = {nullptr, 0};

    int find(const uint8_t *address) const
    {
        const uint64_t offset = (uint64_t)(address - first);
        return first && address >= first && offset < (uint64_t)bytes * number ? (int)(offset / bytes) : -1;
    }
    int take(const belay_chip_place &place, pipe_t producer)
    {
        if (!number)
            belay_chip_fault(&place, "the queue has no buffers; TPipe::InitBuffer before it is expected");
        for (int tries = 0; tries < number; tries++) {
            const int each = (next + tries) % number;
            if (states[each] != FREE)
                continue;
            next = (uint8_t)((each + 1) % number);
            states[each] = TAKEN;
            if (was_freed[each])
                belay_chip_meet(belay_chip_now(), slots + 2 * (uint32_t)each + 1, producer);
            return each;
        }
        belay_chip_fault(
            &place,
            "all %d buffers of the queue are taken: a device would wait for ever. FreeTensor of one that "
            "DeQue gave, or more buffers in InitBuffer are expected",
            number);
    }
    void put(const belay_chip_place &place, const uint8_t *address, int depth, pipe_t producer)
    {
        const int each = find(address);
        if (each < 0)
            belay_chip_fault(&place, "the tensor is not of this queue; one of its AllocTensor is expected");
        if (states[each] == QUEUED)
            belay_chip_fault(&place, "the tensor is in the queue already; DeQue takes it out");
        if (states[each] == FREE)
            belay_chip_fault(&place, "the tensor was freed; one of AllocTensor is expected");
        if (queued >= (depth > number ? depth : number))
            belay_chip_fault(&place,
                             "%d tensors are in the queue of depth %d already; DeQue before it is expected",
                             queued, depth);
        states[each] = QUEUED;
        order[(head + queued++) % MOST] = (uint8_t)each;
        belay_chip_mark(belay_chip_now(), slots + 2 * (uint32_t)each, producer);
    }
    int out(const belay_chip_place &place, pipe_t consumer)
    {
        if (!queued)
            belay_chip_fault(&place,
                             "the queue is empty: a device would wait for ever. EnQue before it is expected");
        const int each = order[head];
        head = (uint8_t)((head + 1) % MOST);
        queued--;
        states[each] = TAKEN_OUT;
        belay_chip_meet(belay_chip_now(), slots + 2 * (uint32_t)each, consumer);
        return each;
    }
    void give(const belay_chip_place &place, const uint8_t *address, pipe_t consumer)
    {
        const int each = find(address);
        if (each < 0)
            belay_chip_fault(&place,
                             "the tensor is not of this queue; the queue that it came from is expected");
        if (states[each] == FREE)
            belay_chip_fault(&place,
                             "the tensor is free already; one FreeTensor for each AllocTensor is expected");
        if (states[each] == QUEUED)
            belay_chip_fault(&place, "the tensor is still in the queue; DeQue before it is expected");
        states[each] = FREE;
        was_freed[each] = true;
        belay_chip_mark(belay_chip_now(), slots + 2 * (uint32_t)each + 1, consumer);
    }
    ~Buffers()
    {
        if (__builtin_expect(!number || !belay_kernel_block() || !belay_chip_now()->shadow, 1))
            return;
        int taken = 0;
        for (int each = 0; each < number; each++)
            taken += states[each] != FREE;
        const belay_chip_place place = made.of("InitBuffer");
        if (taken)
            belay_chip_report(&place,
                              "FreeTensor for each AllocTensor, and DeQue for each EnQue are expected",
                              "%d of the queue's %d buffers are not free at the kernel's end", taken, number);
    }
};
} // namespace AscendC

#endif
