/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Printing into strings that are told how much room there is.
 */
#include <stdbool.h>

#include "securec.h"

static bool is_usable(char *dest, size_t room, const char *format)
{
    bool has_room = dest != NULL && room > 0 && room <= SECUREC_STRING_MAX_LEN;
    if (has_room && format == NULL)
        dest[0] = '\0';
    return has_room && format != NULL;
}

int vsprintf_s(char *dest, size_t destMax, const char *format, va_list arguments)
{
    if (!is_usable(dest, destMax, format))
        return -1;
    int length = vsnprintf(dest, destMax, format, arguments);
    if (length >= 0 && (size_t)length < destMax)
        return length;
    dest[0] = '\0';
    return -1;
}

int sprintf_s(char *dest, size_t destMax, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf_s(dest, destMax, format, arguments);
    va_end(arguments);
    return length;
}

int vsnprintf_s(char *dest, size_t destMax, size_t count, const char *format, va_list arguments)
{
    if (count >= destMax && (count <= SECUREC_STRING_MAX_LEN || count == SIZE_MAX))
        return vsprintf_s(dest, destMax, format, arguments);
    if (!is_usable(dest, destMax, format))
        return -1;
    int length = count < destMax ? vsnprintf(dest, count + 1, format, arguments) : -1;
    if (length < 0)
        dest[0] = '\0';
    return length >= 0 && (size_t)length <= count ? length : -1; /* what is cut stays */
}

int snprintf_s(char *dest, size_t destMax, size_t count, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf_s(dest, destMax, count, format, arguments);
    va_end(arguments);
    return length;
}

int vsnprintf_truncated_s(char *dest, size_t destMax, const char *format, va_list arguments)
{
    if (!is_usable(dest, destMax, format))
        return -1;
    int length = vsnprintf(dest, destMax, format, arguments);
    if (length < 0)
        dest[0] = '\0';
    return length < 0 || (size_t)length < destMax ? length : (int)(destMax - 1);
}

int snprintf_truncated_s(char *dest, size_t destMax, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf_truncated_s(dest, destMax, format, arguments);
    va_end(arguments);
    return length;
}

int vswprintf_s(wchar_t *dest, size_t destMax, const wchar_t *format, va_list arguments)
{
    if (dest == NULL || destMax == 0 || destMax > SECUREC_STRING_MAX_LEN)
        return -1;
    int length = format != NULL ? vswprintf(dest, destMax, format, arguments) : -1;
    if (length < 0)
        dest[0] = L'\0';
    return length;
}

int swprintf_s(wchar_t *dest, size_t destMax, const wchar_t *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vswprintf_s(dest, destMax, format, arguments);
    va_end(arguments);
    return length;
}
