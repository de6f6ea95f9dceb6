/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libbelay_torch.so, which `belay run` preloads: lets a PyTorch that was built for CUDA and torch_npu live in
 * one process.
 *
 * Both enter the names of their allocators' settings into one set of PyTorch's when they are loaded, and two
 * names are the same. PyTorch takes the second entry of a name for a mistake and ends the process, with every
 * torch_npu from 2.10 on and every PyTorch with CUDA, without a line of the program being run. So this
 * library stands in for the function that gives access to the set: asked by torch_npu, it takes the two names
 * out of it first, which torch_npu enters again. Everyone else gets the set as it is; an older PyTorch does
 * not have the function, and then nothing here is ever called.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "forwarding/torch_npu_caller.h"

/*
 * A std::unordered_set<std::string> of libstdc++, whose layout has been fixed since C++11: one singly linked
 * list of all elements, those of a bucket one behind the other, and for each bucket the element before its
 * first one. (tests/tools/torch_allocator_keys.cpp holds it against the real one.)
 */
struct node {
    struct node *next;
    /* Members that elements alone have: */
    const char *text;
    size_t length;
    char short_text[16];
    size_t hash;
};

struct string_set {
    struct node **buckets;
    size_t bucket_count;
    struct node *first; /* `before`, the element in front of it, is a node of which only next exists */
    size_t count;
    float load;
    size_t resize_at;
    struct node *single_bucket;
};

/* By what its members say of one another; what is none is left alone. */
static bool is_string_set(const struct string_set *set)
{
    size_t count = 0;
    if (set->buckets == NULL || set->bucket_count == 0 || set->count > 4096)
        return false;
    for (const struct node *node = set->first; node != NULL && count <= set->count; node = node->next)
        count++;
    return count == set->count;
}

/* The element in front of the one with this text; NULL when there is none. */
static struct node *find_before(struct string_set *set, const char *text)
{
    struct node *before = (struct node *)(void *)&set->first;
    for (; before->next != NULL; before = before->next)
        if (before->next->length == strlen(text) && memcmp(before->next->text, text, strlen(text)) == 0)
            return before;
    return NULL;
}

/* The memory of the element is not freed: its owner's allocator is not known here, and it is 64 bytes. */
static void erase(struct string_set *set, const char *text)
{
    struct node *before = find_before(set, text);
    if (before == NULL)
        return;
    const struct node *node = before->next;
    size_t bucket = node->hash % set->bucket_count;
    struct node *next = node->next;
    size_t next_bucket = next != NULL ? next->hash % set->bucket_count : SIZE_MAX;
    if (next_bucket != bucket) {
        if (next != NULL)
            set->buckets[next_bucket] = before;
        if (set->buckets[bucket] == before)
            set->buckets[bucket] = NULL;
    }
    before->next = next;
    set->count--;
}

/* PyTorch's own function, and, behind the declaration, the one that stands in for it. */
typedef struct string_set *keys_function(void);
#define NAME "_ZN3c1016CachingAllocator26AcceleratorAllocatorConfig14getMutableKeysB5cxx11Ev"
struct string_set *stand_in(void) __asm__(NAME) __attribute__((visibility("default")));

/* PyTorch is loaded, if anyone calls this, but not for all to see: it is looked for by its name. */
static keys_function *real_function(void)
{
    static _Atomic(keys_function *) found;
    keys_function *function = atomic_load_explicit(&found, memory_order_relaxed);
    if (function == NULL) {
        void *library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
        void *address = library != NULL ? dlsym(library, NAME) : NULL;
        memcpy(&function, &address, sizeof function);
        atomic_store_explicit(&found, function, memory_order_relaxed);
    }
    return function;
}

struct string_set *stand_in(void)
{
    keys_function *function = real_function();
    struct string_set *keys = function != NULL ? function() : NULL;
    if (keys != NULL && is_in_torch_npu(__builtin_return_address(0)) && is_string_set(keys)) {
        erase(keys, "pinned_reserve_segment_size_mb");
        erase(keys, "per_process_memory_fraction");
    }
    return keys;
}
