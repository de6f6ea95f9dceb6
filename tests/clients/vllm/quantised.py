# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A model in INT8 with ModelSlim's files: weights by channel, activations by token (W8A8_DYNAMIC), and with the default
settings, by which vllm-ascend lays weights out in FRACTAL_NZ. Beside the same arithmetic in PyTorch on the CPU."""

import json

import safetensors.torch
import torch

from support import small

DTYPE = torch.float16


class Quantised(torch.nn.Module):
    """x as DTYPE has it, by token in 255 steps, times the weight's whole numbers; both scales behind the sum."""

    def __init__(self, whole, scale):
        super().__init__()
        self.whole, self.scale = whole.double(), scale.double()

    def forward(self, x):
        x = x.to(DTYPE).double()
        step = x.abs().amax(-1, keepdim=True) / 127
        whole = torch.round(x / step.clamp(min=1e-30)).clamp(-128, 127)
        return (whole @ self.whole.T * step * self.scale).to(DTYPE).float()


def quantise(model, folder):
    kinds, tensors = {}, {}
    for name, tensor in model.state_dict().items():
        kinds[name], tensors[name] = "FLOAT", tensor.to(DTYPE).contiguous()
    for name, module in list(model.model.named_modules()):
        if not isinstance(module, torch.nn.Linear):
            continue
        scale = (module.weight.data.abs().amax(1) / 127).to(DTYPE).float()
        whole = torch.round(module.weight.data / scale[:, None]).clamp(-128, 127)
        parent, _, last = name.rpartition(".")
        setattr(model.model.get_submodule(parent), last, Quantised(whole, scale))
        tensors[f"model.{name}.weight"] = whole.to(torch.int8)
        tensors[f"model.{name}.weight_scale"] = scale[:, None].to(DTYPE).contiguous()
        tensors[f"model.{name}.weight_offset"] = torch.zeros(len(scale), 1, dtype=DTYPE)
        for part in "weight", "weight_scale", "weight_offset":
            kinds[f"model.{name}.{part}"] = "W8A8_DYNAMIC"
    safetensors.torch.save_file(tensors, folder + "/model.safetensors", {"format": "pt"})
    with open(folder + "/quant_model_description.json", "w") as file:
        json.dump({"model_quant_type": "W8A8_DYNAMIC", **kinds}, file)


if __name__ == "__main__":
    folder, prompts, wanted = small.make("llama", "float16", lengths=(5, 11, 3), change=quantise)
    small.same(small.generate(small.engine(folder, "float16", quantization="ascend"), prompts), wanted)
