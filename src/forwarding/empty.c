/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A library that programs name on their link lines, or load in advance, and of which no function is offered
 * here. It is there so that the name is found; a program that calls into it gets its linker's or its loader's
 * message, which names the function.
 */

/* C wants one declaration in a file. */
typedef int nothing_is_exported;
