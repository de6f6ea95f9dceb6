/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks stacks. The unwinder of libgcc takes microseconds for it; what it finds is remembered, so that it is
 * asked once for each place in the code and no more.
 *
 * How far it is from where a frame keeps its return address to where its caller keeps its own follows from
 * the code at the return address alone, unless the function asks for room as it runs or aligns its frame. So
 * each return address has its distance. A walk that goes by them ends in an answer only where each word that
 * it comes to is a return address that the unwinder has found before; else the unwinder is asked.
 */
#include "check/stack.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unwind.h>

#include "check/suppression.h"
#include "base/report.h"

enum { FRAMES_MOST = 64 };

/*
 * Direct-mapped, a word for each address: the address below ADDRESS_BITS, the distance in words above, and in
 * the last two bits whether it is one of ours, or of a module whose leaks nobody wants to see. A distance of
 * 0: not known; VARIES: it does not follow from the address; ENDS: there is no caller, or none of interest.
 */
enum { KNOWN = 8192, ADDRESS_BITS = 48, DISTANCE_BITS = 14, VARIES = (1 << 14) - 1, ENDS = (1 << 14) - 2 };
static const uint64_t OWN = UINT64_C(1) << 63, QUIET = UINT64_C(1) << 62;
static const uint64_t ADDRESS = (UINT64_C(1) << ADDRESS_BITS) - 1;
static _Atomic uint64_t known[KNOWN];

static _Atomic uint64_t *slot_of(uintptr_t address)
{
    return &known[(uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 51];
}

static uint32_t distance_of(uint64_t word)
{
    return (uint32_t)(word >> ADDRESS_BITS) & VARIES;
}

/* What is known of an address; 0: nothing. */
static uint64_t look_up(uintptr_t address)
{
    uint64_t word = atomic_load_explicit(slot_of(address), memory_order_relaxed);
    return (word & ADDRESS) == address ? word : 0;
}

/* The module that an address is in, and no more: what dladdr does beside takes long. */
struct module_search {
    uintptr_t address;
    char name[256]; /* without folders */
};

static int look_at_module(struct dl_phdr_info *info, size_t bytes, void *own)
{
    struct module_search *search = (struct module_search *)own;
    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || search->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
            continue;
        const char *slash = strrchr(info->dlpi_name, '/');
        strncpy(search->name, slash != NULL ? slash + 1 : info->dlpi_name, sizeof search->name - 1);
        return 1;
    }
    return 0;
}

static uint64_t find_bits(uintptr_t address)
{
    static const char *const names[] = {"libascendcl.so", "libnnopbase.so", "libopapi.so", "libhccl.so",
                                        "libbelay_kernel.so"};
    struct module_search search = {.address = address - 1};
    if (dl_iterate_phdr(look_at_module, &search) == 0)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(search.name, names[i], strlen(names[i])) == 0)
            return OWN;
    /* What called main, or the function of a thread: nobody asks. */
    if (strncmp(search.name, "libc.so", 7) == 0 || strncmp(search.name, "libc-", 5) == 0)
        return (uint64_t)ENDS << ADDRESS_BITS;
    bool is_quiet =
        suppressions_match(RULE_LEAK, "", search.name) && suppressions_match(RULE_ORDER, "", search.name);
    return is_quiet ? QUIET : 0;
}

static uint64_t learn_bits(uintptr_t address)
{
    uint64_t word = look_up(address);
    if (word == 0) {
        word = (uint64_t)address | find_bits(address);
        if ((address & ~ADDRESS) == 0)
            atomic_store_explicit(slot_of(address), word, memory_order_relaxed);
    }
    return word;
}

static void learn_distance(uintptr_t address, uint64_t distance)
{
    uint64_t word = look_up(address);
    uint32_t before = distance_of(word);
    if (word == 0 || before == VARIES || before == ENDS || before == distance)
        return;
    if (distance == 0 || distance > VARIES || before != 0)
        distance = VARIES;
    word = (word & ~((uint64_t)VARIES << ADDRESS_BITS)) | distance << ADDRESS_BITS;
    atomic_store_explicit(slot_of(address), word, memory_order_relaxed);
}

/* The unwinder, which the C library also loads when it is first asked for a backtrace. */
typedef _Unwind_Reason_Code unwind(_Unwind_Trace_Fn visit, void *own);
static struct {
    pthread_once_t once;
    unwind *backtrace;
    __typeof__(_Unwind_GetIP) *address;
    __typeof__(_Unwind_GetCFA) *frame;
} unwinder = {.once = PTHREAD_ONCE_INIT};

static void find_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return;
    *(void **)&unwinder.address = dlsym(library, "_Unwind_GetIP");
    *(void **)&unwinder.frame = dlsym(library, "_Unwind_GetCFA");
    if (unwinder.address != NULL && unwinder.frame != NULL)
        *(void **)&unwinder.backtrace = dlsym(library, "_Unwind_Backtrace");
}

/* A walk of the unwinder. */
struct walk {
    struct call_stack *stack;
    uintptr_t behind; /* begin behind this address; 0: at the first frame that is not ours */
    bool has_begun;
    uint32_t visited;
    uintptr_t last;        /* the address of the frame before */
    const uintptr_t *slot; /* and where it is kept; NULL: not known */
};

/* Where a frame's address is kept that the unwinder has come to: the end of the frame before lies behind it.
 */
static const uintptr_t *find_slot(uintptr_t address, struct _Unwind_Context *context)
{
#if defined(__x86_64__)
    uintptr_t end = unwinder.frame(context);
    const uintptr_t *slot = (const uintptr_t *)(end - sizeof address);
    return end > sizeof address && *slot == address ? slot : NULL;
#else
    (void)address, (void)context;
    return NULL;
#endif
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *own)
{
    struct walk *walk = (struct walk *)own;
    uintptr_t address = unwinder.address(context);
    if (address == 0 || walk->visited == FRAMES_MOST)
        return _URC_NORMAL_STOP;
    bool is_first = walk->visited++ == 0; /* this file's, which is where it is now, not where it returns to */
    if (walk->behind != 0) {
        if (walk->has_begun)
            walk->stack->frame[walk->stack->count++] = address;
        walk->has_begun = walk->has_begun || address == walk->behind;
    } else if (!is_first) {
        bool is_own = (learn_bits(address) & OWN) != 0;
        const uintptr_t *slot = find_slot(address, context);
        if (walk->last != 0)
            learn_distance(walk->last,
                           walk->slot != NULL && slot > walk->slot ? (uint64_t)(slot - walk->slot) : VARIES);
        walk->last = address;
        walk->slot = slot;
        walk->has_begun = walk->has_begun || !is_own;
        if (walk->has_begun)
            walk->stack->frame[walk->stack->count++] = address;
    }
    return walk->stack->count == STACK_FRAMES ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static void ask_unwinder(struct walk *walk)
{
    walk->stack->count = 0;
    pthread_once(&unwinder.once, find_unwinder);
    if (unwinder.backtrace == NULL)
        return;
    unwinder.backtrace(visit, walk);
    if (walk->behind == 0 && walk->last != 0 && walk->stack->count < STACK_FRAMES &&
        walk->visited < FRAMES_MOST)
        learn_distance(walk->last, ENDS);
}

/* Where the stack ends that the calling thread was started with. A function that asks for room as it runs may
 * have taken more when its distance was learned, and a step by it must not lead out of the stack. On other
 * stacks, as of coroutines, the unwinder is asked. */
static const uintptr_t *stack_end(const uintptr_t *slot)
{
    static _Thread_local uintptr_t first, end;
    if (end == 0) {
        pthread_attr_t attributes;
        void *address;
        size_t bytes;
        end = 1; /* asked, and not known */
        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            return NULL;
        if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
            first = (uintptr_t)address;
            end = first + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    uintptr_t at = (uintptr_t)slot;
    return at >= first && at < end ? (const uintptr_t *)end : NULL;
}

/* Goes by what is known, from where a return address is kept. False where that does not suffice. Behind the
 * first frame, what has no fixed distance ends the stack: the rest is not worth the time. A step that turns
 * out to be wrong has read a word of another frame, which sanitizers of addresses need not see. */
__attribute__((no_sanitize("address"))) static bool walk_known(const uintptr_t *slot,
                                                               struct call_stack *stack)
{
    const uintptr_t *end = stack_end(slot);
    if (end == NULL)
        return false;
    stack->count = 0;
    for (uint32_t i = 0; i < FRAMES_MOST; i++) {
        uint64_t word = look_up(*slot);
        uint32_t distance = distance_of(word);
        if (word == 0)
            return false;
        if ((word & OWN) == 0 || stack->count > 0)
            stack->frame[stack->count++] = *slot;
        if (stack->count == STACK_FRAMES || (stack->count > 0 && (distance == VARIES || distance == ENDS)))
            return true;
        if (distance == 0 || distance == VARIES || distance == ENDS)
            return false;
        if (distance >= (uint64_t)(end - slot))
            return false;
        slot += distance;
    }
    return false;
}

/* Whether a frame's return address lies next to where the compiler says that the frame is. */
#if defined(__x86_64__)
enum { IS_ADDRESS_AT_FRAME = true };
#else
enum { IS_ADDRESS_AT_FRAME = false };
#endif

__attribute__((noinline)) void stack_here(struct call_stack *stack)
{
    const uintptr_t *slot = (const uintptr_t *)__builtin_frame_address(0) + 1;
    if (!IS_ADDRESS_AT_FRAME || !walk_known(slot, stack))
        ask_unwinder(&(struct walk){.stack = stack});
}

void stack_behind(uintptr_t instruction, struct call_stack *stack)
{
    ask_unwinder(&(struct walk){.stack = stack, .behind = instruction});
}

bool stack_is_quiet(uintptr_t address)
{
    return address != 0 && (learn_bits(address) & QUIET) != 0;
}

/* Kept stacks: open addressing. An entry is claimed by its hash, and whole when it has a count. */
enum { KEPT = 16384, PROBES = 64 };
static struct kept {
    _Atomic uint64_t hash; /* 0: empty */
    _Atomic uint32_t count;
    uintptr_t frame[STACK_FRAMES];
} kept[KEPT];

uint32_t stack_keep(const struct call_stack *stack)
{
    uint64_t hash = stack->count;
    for (uint32_t i = 0; i < stack->count; i++)
        hash = (hash ^ stack->frame[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    if (stack->count == 0 || hash == 0)
        return 0;
    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t at = ((uint32_t)(hash >> 40) + i) & (KEPT - 1);
        uint64_t found = atomic_load_explicit(&kept[at].hash, memory_order_relaxed);
        if (at == 0 || (found != 0 && found != hash))
            continue;
        if (found == 0 && atomic_compare_exchange_strong_explicit(
                              &kept[at].hash, &found, hash, memory_order_relaxed, memory_order_relaxed)) {
            memcpy(kept[at].frame, stack->frame, stack->count * sizeof stack->frame[0]);
            atomic_store_explicit(&kept[at].count, stack->count, memory_order_release);
            return at;
        }
        if (found == hash)
            return at;
    }
    return 0;
}

void stack_find(uint32_t number, struct call_stack *stack)
{
    *stack = (struct call_stack){0};
    if (number >= KEPT)
        return;
    stack->count = atomic_load_explicit(&kept[number].count, memory_order_acquire);
    memcpy(stack->frame, kept[number].frame, stack->count * sizeof stack->frame[0]);
}
