/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* triton-ascend reads this file by its name where TRITON_DEVICE_PRINT is set. What there is to say is in tunnel.h. */
