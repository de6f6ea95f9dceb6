# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A model of one kind in one dtype: the greedy tokens of eight prompts of unequal lengths in one batch are those of
Hugging Face's transformers on the CPU. models.py KIND DTYPE"""

import sys

from support import small

if __name__ == "__main__":
    kind, dtype = sys.argv[1:3]
    folder, prompts, wanted = small.make(kind, dtype)
    small.same(small.generate(small.engine(folder, dtype), prompts), wanted)
