/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who listens, and who records.
 */
#include "base/listener.h"

const struct listener *listener;
const struct recorder *recorder;
