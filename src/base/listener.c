/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who listens, who records, and who makes what fails that was asked to.
 */
#include "base/listener.h"

#include "base/saboteur.h"

const struct listener *listener;
const struct recorder *recorder;
const struct saboteur *saboteur;
_Atomic uint32_t faults_awaited;
