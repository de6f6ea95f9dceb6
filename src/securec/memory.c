/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory that is told how much room there is. Wide characters are bytes here, four at a time.
 */
#include <stdbool.h>
#include <string.h>

#include "securec.h"

/* What is wrong with the arguments; EOK when count bytes may be copied. Clears dest where the code says so.
 */
static errno_t check(void *dest, size_t room, size_t room_max, const void *src, size_t count)
{
    if (room == 0 || room > room_max)
        return ERANGE;
    if (dest == NULL)
        return EINVAL;
    if (src != NULL && count <= room)
        return EOK;
    memset(dest, 0, room);
    return src == NULL ? EINVAL_AND_RESET : ERANGE_AND_RESET;
}

static bool overlap(const void *one, const void *other, size_t count)
{
    uintptr_t first = (uintptr_t)one, second = (uintptr_t)other;
    return first < second ? second - first < count : first - second < count;
}

static errno_t copy(void *dest, size_t room, size_t room_max, const void *src, size_t count)
{
    errno_t status = check(dest, room, room_max, src, count);
    if (status != EOK || dest == src)
        return status;
    if (overlap(dest, src, count)) {
        memset(dest, 0, room);
        return EOVERLAP_AND_RESET;
    }
    memcpy(dest, src, count);
    return EOK;
}

static errno_t move(void *dest, size_t room, size_t room_max, const void *src, size_t count)
{
    errno_t status = check(dest, room, room_max, src, count);
    if (status == EOK)
        memmove(dest, src, count);
    return status;
}

/* Bytes of so many wide characters; of more than there can be, as many as no room has. */
static size_t wide_bytes(size_t count)
{
    return count <= SIZE_MAX / sizeof(wchar_t) ? count * sizeof(wchar_t) : SIZE_MAX;
}

errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count)
{
    return copy(dest, destMax, SECUREC_MEM_MAX_LEN, src, count);
}

errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count)
{
    return move(dest, destMax, SECUREC_MEM_MAX_LEN, src, count);
}

errno_t wmemcpy_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count)
{
    return copy(dest, wide_bytes(destMax), SECUREC_MEM_MAX_LEN, src, wide_bytes(count));
}

errno_t wmemmove_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count)
{
    return move(dest, wide_bytes(destMax), SECUREC_MEM_MAX_LEN, src, wide_bytes(count));
}

errno_t memset_s(void *dest, size_t destMax, int byte, size_t count)
{
    if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN)
        return ERANGE;
    if (dest == NULL)
        return EINVAL;
    memset(dest, byte, count <= destMax ? count : destMax);
    return count <= destMax ? EOK : ERANGE_AND_RESET;
}
