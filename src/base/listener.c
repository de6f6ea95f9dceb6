/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who listens.
 */
#include "base/listener.h"

const struct listener *listener;
