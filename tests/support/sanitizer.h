/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * UNDER_SANITIZER is 1 where shadow memory changes what a process holds, and limits on it cannot be tested;
 * UNDER_ADDRESS_SANITIZER and UNDER_THREAD_SANITIZER say which it is.
 */
#ifndef BELAY_TESTS_SUPPORT_SANITIZER_H
#define BELAY_TESTS_SUPPORT_SANITIZER_H

#if defined(__has_feature)
#define SANITIZER_FEATURE(name) __has_feature(name)
#else
#define SANITIZER_FEATURE(name) 0
#endif

#if defined(UNDER_ADDRESS_SANITIZER) /* by the build, of a test that is not watched itself */
#elif defined(__SANITIZE_ADDRESS__) || SANITIZER_FEATURE(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
#else
#define UNDER_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || SANITIZER_FEATURE(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#else
#define UNDER_THREAD_SANITIZER 0
#endif
#define UNDER_SANITIZER (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)

#endif
