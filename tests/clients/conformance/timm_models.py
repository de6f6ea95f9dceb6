# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A small model of each family of timm: outputs and the gradients of all parameters beside the CPU, with random weights."""
import copy
import itertools
import re

from beside import case, is_wanted, tell, said, with_gradients
import timm
import torch

SMALL = re.compile(r"^test_|atto|femto|pico|nano|tiny|xxs|_xs|xxx|mini|small|18|_b0|_050|_035|_s0|_s\b|_t\b|pn92|lite|_a0|_c0|_m1|_d0|_0|_n0")
LARGEST, TRIES = 6_000_000, 2


def smallest(module):
    """The first of those with small names that is small; None where none is."""
    names = [name for name in timm.list_models(module=module) if SMALL.search(name)]
    for name in sorted(names, key=lambda name: (not name.startswith("test_"), len(name), name))[:TRIES]:
        try:
            with torch.device("meta"):
                size = sum(parameter.numel() for parameter in timm.create_model(name).parameters())
        except Exception:  # noqa: BLE001 - it reads numbers while it is made
            continue
        if size <= LARGEST:
            return name
    return None


def run_of(name):
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=10).eval()
    size = model.default_cfg["input_size"]
    if not model.default_cfg.get("fixed_input_size") and size[1] > 96:
        size = (size[0], 96, 96)
    image = torch.randn(2, *size, generator=torch.Generator().manual_seed(2))

    def run(device, dtype):
        here = copy.deepcopy(model).to(dtype or torch.float32).to(device)
        return with_gradients(here, lambda module: module(image.to(dtype or torch.float32).to(device)))
    return run


seen = set()
for name in itertools.chain(timm.list_models("test_*"), map(smallest, timm.list_modules())):
    if name is None or name in seen or not is_wanted(name):
        continue
    seen.add(name)
    try:
        made = run_of(name)
    except Exception as error:  # noqa: BLE001
        tell(name, "cpu", said(error))
        continue
    case(name, made)
