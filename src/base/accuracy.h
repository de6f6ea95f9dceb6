/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The accuracies that a program can ask for (BELAY_ACCURACY). Kernels need no other setting.
 */
#ifndef BELAY_BASE_ACCURACY_H
#define BELAY_BASE_ACCURACY_H

enum accuracy { ACCURACY_DEFAULT, ACCURACY_EXACT, ACCURACY_COUNT };

#endif
