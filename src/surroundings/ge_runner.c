/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libge_runner.so: what is called of the graph engine that would compile and run graphs, by programs that
 * start it whether they have graphs or not. The classes that graphs are built of are libgraph.so's.
 */
#include <stdint.h>

/* std::map<uint32_t, std::string>: a comparison that has no state, the header of a tree, its size. */
struct tree_header {
    uint64_t colour;
    void *parent, *left, *right;
};

struct status_factory {
    uint64_t comparison;
    struct tree_header header;
    uint64_t count;
    uint64_t room[8]; /* for members behind the map */
};

#pragma GCC visibility push(default)
uint32_t
initialise(const void *options) __asm__("_ZN2ge12GEInitializeERKSt3mapISsSsSt4lessISsESaISt4pairIKSsSsEEE");
uint32_t finalise(void) __asm__("_ZN2ge10GEFinalizeEv");
struct status_factory *status_factory(void) __asm__("_ZN2ge13StatusFactory8InstanceEv");
#pragma GCC visibility pop

/* There is nothing to start; whoever brings a graph afterwards does not find a function for it. */
uint32_t initialise(const void *options)
{
    (void)options;
    return 0;
}

uint32_t finalise(void)
{
    return 0;
}

/* Programs add their words for status codes, by code of their own, while they are loaded. */
struct status_factory *status_factory(void)
{
    static struct status_factory factory = {.header = {.left = &factory.header, .right = &factory.header}};
    return &factory;
}
