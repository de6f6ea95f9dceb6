/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The private bridge between the three libraries. The public headers export the acl and aclnn names; the few
 * internal functions that libnnopbase and libopapi need of the library below them are exported under names
 * that begin with belay_, so that they can clash with nothing in a program. They are no interface: they may
 * change with every release, and the three libraries of a release belong together.
 */
#ifndef BELAY_BASE_EXPORT_H
#define BELAY_BASE_EXPORT_H

/* Put behind a declaration: `int fail(...) SHARED(fail);` is the symbol belay_fail. */
#define SHARED(name) __asm__("belay_" #name) __attribute__((visibility("default")))

#endif
