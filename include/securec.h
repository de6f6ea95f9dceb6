/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions on memory and strings that are told how much room there is, in the way of C11's Annex K;
 * libc_sec.so has them. They differ from Annex K in that what does not fit is a status and nothing else: no
 * handler is called, and nothing ends the program. None of them reads or writes beyond the room that it is
 * told.
 *
 * Those that answer errno_t:
 *   EOK (0)                      done.
 *   EINVAL (22)                  dest is NULL.
 *   ERANGE (34)                  destMax is 0 or above SECUREC_MEM_MAX_LEN; nothing is written.
 *   EINVAL_AND_RESET (150)       the source is NULL, or the string to append to has no end within destMax.
 *   ERANGE_AND_RESET (162)       it does not fit: more than destMax bytes, or characters with the final zero.
 *   EOVERLAP_AND_RESET (182)     source and destination overlap, where that is not allowed.
 * With ..._AND_RESET the destination is cleared: memory to zeros as far as destMax goes (memset_s fills it
 * with the byte), strings to the empty one. Rooms of wide strings count wide characters.
 *
 * Those that print answer the number of characters written, without the final zero, or -1, with an empty
 * string, for what does not fit, for NULL, and for a room of 0 or above SECUREC_STRING_MAX_LEN. Those that
 * scan answer what libc's do, but %s, %c and %[ take two arguments: the address, and the room behind it as
 * size_t; a text that does not fit into it ends the scan, with an empty string there. Wide text (%ls, %lc,
 * %l[) ends it too.
 */
#ifndef BELAY_SECUREC_H
#define BELAY_SECUREC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#ifndef errno_t
typedef int errno_t;
#endif

#define SECUREC_MEM_MAX_LEN    0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL

#ifndef EOK
#define EOK 0
#endif
#ifndef EINVAL
#define EINVAL 22
#endif
#ifndef ERANGE
#define ERANGE 34
#endif
#define EINVAL_AND_RESET   150
#define ERANGE_AND_RESET   162
#define EOVERLAP_AND_RESET 182

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Copies count bytes; memmove_s also where the two overlap. */
errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count);
errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count);
/* Fills count bytes with a byte; of more than destMax, destMax are filled and it is ERANGE_AND_RESET. */
errno_t memset_s(void *dest, size_t destMax, int byte, size_t count);
/* The same of count wide characters. */
errno_t wmemcpy_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count);
errno_t wmemmove_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count);

/* Copies a string, or at most count characters of it and a zero. */
errno_t strcpy_s(char *dest, size_t destMax, const char *src);
errno_t strncpy_s(char *dest, size_t destMax, const char *src, size_t count);
errno_t wcscpy_s(wchar_t *dest, size_t destMax, const wchar_t *src);
errno_t wcsncpy_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count);
/* Appends a string, or at most count characters of it and a zero. */
errno_t strcat_s(char *dest, size_t destMax, const char *src);
errno_t strncat_s(char *dest, size_t destMax, const char *src, size_t count);
errno_t wcscat_s(wchar_t *dest, size_t destMax, const wchar_t *src);
errno_t wcsncat_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count);
/* The next piece of a string, as strtok_r and wcstok give it; NULL too where delimiters or context are. */
char *strtok_s(char *text, const char *delimiters, char **context);
wchar_t *wcstok_s(wchar_t *text, const wchar_t *delimiters, wchar_t **context);
/* A line of standard input without its end: dest, or NULL with an empty string where none comes or it is too
 * long. */
char *gets_s(char *dest, size_t destMax);

#define SECUREC_PRINTF(text, first) __attribute__((format(printf, text, first)))
int sprintf_s(char *dest, size_t destMax, const char *format, ...) SECUREC_PRINTF(3, 4);
int vsprintf_s(char *dest, size_t destMax, const char *format, va_list arguments) SECUREC_PRINTF(3, 0);
/*
 * At most count characters and a zero. A text of more than count is cut there and answers -1, where destMax
 * is above count; elsewhere it must fit into destMax.
 */
int snprintf_s(char *dest, size_t destMax, size_t count, const char *format, ...) SECUREC_PRINTF(4, 5);
int vsnprintf_s(char *dest, size_t destMax, size_t count, const char *format, va_list arguments)
    SECUREC_PRINTF(4, 0);
/* What does not fit is cut: destMax - 1 is answered then. */
int snprintf_truncated_s(char *dest, size_t destMax, const char *format, ...) SECUREC_PRINTF(3, 4);
int vsnprintf_truncated_s(char *dest, size_t destMax, const char *format, va_list arguments)
    SECUREC_PRINTF(3, 0);
int swprintf_s(wchar_t *dest, size_t destMax, const wchar_t *format, ...);
int vswprintf_s(wchar_t *dest, size_t destMax, const wchar_t *format, va_list arguments);

int sscanf_s(const char *text, const char *format, ...);
int vsscanf_s(const char *text, const char *format, va_list arguments);
int fscanf_s(FILE *file, const char *format, ...);
int vfscanf_s(FILE *file, const char *format, va_list arguments);
int scanf_s(const char *format, ...);
int vscanf_s(const char *format, va_list arguments);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
