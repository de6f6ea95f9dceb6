/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A library that exists under another name. Each of its functions jumps to the function of the same name in
 * the library that holds the state, so that a program may link or open either name, alone or both together.
 *
 * The names come from forward_names.h, a list `FORWARD(index, name)` that the build reads off the other
 * library.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "acl/acl_base.h"

/* Where each function jumps to. Not static: the assembler code below names it. */
extern void *belay_forward_target[] __attribute__((visibility("hidden")));

/*
 * A jump, not a call: arguments, variable ones too, and the return address stay where they are. The first
 * instruction is the landing pad that indirect branch tracking asks for; it is a no-op elsewhere.
 */
#if defined(__x86_64__)
#define JUMP(index) "endbr64\n\tjmpq *belay_forward_target+8*" #index "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(index)                                               \
    "hint #34\n\tadrp x16, belay_forward_target+8*" #index "\n\t" \
    "ldr x16, [x16, #:lo12:belay_forward_target+8*" #index "]\n\tbr x16\n"
#else
#error "there is no jump for this processor yet"
#endif

#define FORWARD(index, name)                                                                \
    __asm__(".text\n\t.p2align 4\n\t.globl " #name "\n\t.type " #name ", %function\n" #name \
            ":\n\t" JUMP(index) "\t.size " #name ", .-" #name "\n");
#include "forward_names.h"
#undef FORWARD

static const char *const names[] = {
#define FORWARD(index, name) [index] = #name,
#include "forward_names.h"
#undef FORWARD
    NULL,
};

/* What a function answers that the other library lacks: then the two are of different releases. */
static int answer_missing(void)
{
    return ACL_ERROR_API_NOT_SUPPORT;
}

void *belay_forward_target[sizeof names / sizeof names[0]];

/*
 * Runs before any code that needs this library, static constructors of programs included. The other library
 * is loaded already, as this one needs it; opening it by its name only finds it. The handle is never closed:
 * the libraries stay until the process ends.
 */
__attribute__((constructor)) static void find_targets(void)
{
    void *library = dlopen(BELAY_FORWARD_TO, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; names[i]; i++) {
        void *target = library ? dlsym(library, names[i]) : NULL;
        if (target)
            belay_forward_target[i] = target;
        else
            *(int (**)(void)) & belay_forward_target[i] = answer_missing;
    }
}
