/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * PyTorch's names of functions, for those who know no others.
 */
#ifndef BELAY_TOOLS_PYTORCH_NAME_H
#define BELAY_TOOLS_PYTORCH_NAME_H

/*
 * The entry that a name means: torch.bmm, bmm or Bmm, torch_npu.npu_rms_norm. *functions are what it calls,
 * with blanks between them; NULL where PyTorch has no such function, or it calls none.
 */
const char *pytorch_name(const char *name, const char **functions);

#endif
