/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Strings that are told how much room there is: copying and appending, of characters and of wide ones by the
 * same rules, pieces of strings, and lines. A string is described by its address and the size of its
 * characters.
 */
#include <stdbool.h>
#include <string.h>

#include "securec.h"

enum { NARROW = 1, WIDE = sizeof(wchar_t) };

static size_t length_within(const void *text, size_t most, size_t character)
{
    return character == NARROW ? strnlen(text, most) : wcsnlen(text, most);
}

static void end_at(void *dest, size_t place, size_t character)
{
    memset((char *)dest + place * character, 0, character);
}

static errno_t emptied(void *dest, size_t character, errno_t status)
{
    end_at(dest, 0, character);
    return status;
}

/*
 * Writes src, or count characters of it, behind the length characters that dest has: source and result must
 * not overlap, but for a string that is copied onto itself.
 */
static errno_t write_behind(void *dest, size_t room, size_t length, const void *src, size_t count,
                            size_t character)
{
    /* No more is read than could fit: one character too many is enough to know. */
    size_t most = count < room - length ? count : room - length;
    size_t added = length_within(src, most, character);
    bool fits = added < room - length;
    uintptr_t begin = (uintptr_t)dest, end = begin + (length + added + (fits ? 1 : 0)) * character;
    uintptr_t from = (uintptr_t)src, from_end = from + (added + (added < count ? 1 : 0)) * character;
    if (from < end && begin < from_end)
        return emptied(dest, character, EOVERLAP_AND_RESET);
    if (!fits)
        return emptied(dest, character, ERANGE_AND_RESET);
    memcpy((char *)dest + length * character, src, added * character);
    end_at(dest, length + added, character);
    return EOK;
}

static errno_t check(void *dest, size_t room, const void *src, size_t count, size_t character)
{
    if (room == 0 || room > SECUREC_STRING_MAX_LEN)
        return ERANGE;
    if (dest == NULL)
        return EINVAL;
    if (src == NULL)
        return emptied(dest, character, EINVAL_AND_RESET);
    if (count > SECUREC_STRING_MAX_LEN && count != SIZE_MAX)
        return emptied(dest, character, ERANGE_AND_RESET);
    return EOK;
}

static errno_t copy(void *dest, size_t room, const void *src, size_t count, size_t character)
{
    errno_t status = check(dest, room, src, count, character);
    if (status != EOK)
        return status;
    if (dest != src)
        return write_behind(dest, room, 0, src, count, character);
    size_t length = length_within(src, count < room ? count : room, character);
    if (length == room)
        return emptied(dest, character, ERANGE_AND_RESET);
    end_at(dest, length, character);
    return EOK;
}

static errno_t append(void *dest, size_t room, const void *src, size_t count, size_t character)
{
    errno_t status = check(dest, room, src, count, character);
    if (status != EOK)
        return status;
    size_t length = length_within(dest, room, character);
    if (length == room)
        return emptied(dest, character, EINVAL_AND_RESET);
    return write_behind(dest, room, length, src, count, character);
}

errno_t strcpy_s(char *dest, size_t destMax, const char *src)
{
    return copy(dest, destMax, src, SIZE_MAX, NARROW);
}

errno_t strncpy_s(char *dest, size_t destMax, const char *src, size_t count)
{
    return copy(dest, destMax, src, count, NARROW);
}

errno_t wcscpy_s(wchar_t *dest, size_t destMax, const wchar_t *src)
{
    return copy(dest, destMax, src, SIZE_MAX, WIDE);
}

errno_t wcsncpy_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count)
{
    return copy(dest, destMax, src, count, WIDE);
}

errno_t strcat_s(char *dest, size_t destMax, const char *src)
{
    return append(dest, destMax, src, SIZE_MAX, NARROW);
}

errno_t strncat_s(char *dest, size_t destMax, const char *src, size_t count)
{
    return append(dest, destMax, src, count, NARROW);
}

errno_t wcscat_s(wchar_t *dest, size_t destMax, const wchar_t *src)
{
    return append(dest, destMax, src, SIZE_MAX, WIDE);
}

errno_t wcsncat_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count)
{
    return append(dest, destMax, src, count, WIDE);
}

char *strtok_s(char *text, const char *delimiters, char **context)
{
    if (delimiters == NULL || context == NULL || (text == NULL && *context == NULL))
        return NULL;
    return strtok_r(text, delimiters, context);
}

wchar_t *wcstok_s(wchar_t *text, const wchar_t *delimiters, wchar_t **context)
{
    if (delimiters == NULL || context == NULL || (text == NULL && *context == NULL))
        return NULL;
    return wcstok(text, delimiters, context);
}

char *gets_s(char *dest, size_t destMax)
{
    size_t length = 0;
    int character = 0;
    if (dest == NULL || destMax == 0 || destMax > SECUREC_STRING_MAX_LEN)
        return NULL;
    /* The rest of a line that is too long is read too, so that the next call begins at a line. */
    while ((character = getc(stdin)) != EOF && character != '\n') {
        if (length < destMax)
            dest[length] = (char)character;
        length += length < destMax;
    }
    bool is_line = length < destMax && (length > 0 || character == '\n');
    dest[is_line ? length : 0] = '\0';
    return is_line ? dest : NULL;
}
