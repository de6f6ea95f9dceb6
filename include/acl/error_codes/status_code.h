/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a status code is declared. C needs an enumerator, because only that works as a case label; C++ needs a
 * constant whose type is the status type itself, because auto and templates look at it.
 */
#ifndef BELAY_ACL_ERROR_CODES_STATUS_CODE_H
#define BELAY_ACL_ERROR_CODES_STATUS_CODE_H

#include <stdint.h>

#ifdef __cplusplus
#define BELAY_STATUS_CODE(type, name, value) static const type name = value
#else
#define BELAY_STATUS_CODE(type, name, value) enum { name = value }
#endif

#endif
