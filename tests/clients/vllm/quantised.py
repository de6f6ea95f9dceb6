# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A model in INT8 with ModelSlim's files, beside the same arithmetic in PyTorch on the CPU, with the default settings, by
which vllm-ascend lays weights out in FRACTAL_NZ. quantised.py KIND: "dynamic" has weights by channel and activations by
token (W8A8_DYNAMIC); "static" one scale and offset for all activations of a layer, and sums that begin with a bias (W8A8);
"experts" is dynamic with a mixture of experts."""

import json
import sys

import safetensors.torch
import torch

from support import small

DTYPE = torch.float16
STEP, OFFSET = 1 / 16, -3  # of the activations, where they are not by token


def by_channel(weight):
    """Whole numbers, and the scale of each row."""
    scale = (weight.abs().amax(1) / 127).to(DTYPE).float()
    return torch.round(weight / scale[:, None]).clamp(-128, 127), scale


def product_by_token(x, whole, scale):
    """x by token in 255 steps, times whole numbers; both scales behind the sum."""
    step = x.abs().amax(-1, keepdim=True) / 127
    numbers = torch.round(x / step.clamp(min=1e-30)).clamp(-128, 127)
    return numbers @ whole.double().T * step * scale.double()


class Dynamic(torch.nn.Module):
    kind = "W8A8_DYNAMIC"

    def __init__(self, weight):
        super().__init__()
        self.whole, self.scale = by_channel(weight)

    def files(self):
        rows = len(self.scale)
        return {
            "weight": self.whole.to(torch.int8),
            "weight_scale": self.scale[:, None].to(DTYPE).contiguous(),
            "weight_offset": torch.zeros(rows, 1, dtype=DTYPE),
        }

    def forward(self, x):
        return product_by_token(x.to(DTYPE).double(), self.whole, self.scale).to(DTYPE).float()


class Static(Dynamic):
    kind = "W8A8"

    def __init__(self, weight):
        super().__init__(weight)
        self.total = self.scale * STEP
        # What the offset adds to each sum is taken away, and something of the layer's own is added.
        self.start = -(self.whole.sum(1) * OFFSET) + torch.arange(len(self.scale)) % 7

    def files(self):
        return {
            **super().files(),
            "input_scale": torch.tensor([STEP], dtype=DTYPE),
            "input_offset": torch.tensor([OFFSET], dtype=torch.int8),
            "quant_bias": self.start.to(torch.int32),
            "deq_scale": self.total.view(torch.int32).to(torch.int64),
        }

    def forward(self, x):
        numbers = torch.round(x.to(DTYPE).double() / STEP + OFFSET).clamp(-128, 127)
        return ((numbers @ self.whole.double().T + self.start) * self.total.double()).to(DTYPE).float()


class Experts(torch.nn.Module):
    """Each row goes through the experts chosen for it, and is quantised in front of both products."""

    def __init__(self, experts):
        super().__init__()
        self.first = [by_channel(weight) for weight in experts.gate_up_proj.data]
        self.second = [by_channel(weight) for weight in experts.down_proj.data]

    def files(self):
        found = {}
        for i, ((first, scale), (second, last)) in enumerate(zip(self.first, self.second)):
            half = len(scale) // 2
            for name, whole, rows in (
                ("gate_proj", first[:half], scale[:half]),
                ("up_proj", first[half:], scale[half:]),
                ("down_proj", second, last),
            ):
                found[f"{i}.{name}.weight"] = whole.to(torch.int8).contiguous()
                found[f"{i}.{name}.weight_scale"] = rows[:, None].to(DTYPE).contiguous()
                found[f"{i}.{name}.weight_offset"] = torch.zeros(len(rows), 1, dtype=DTYPE)
        return found

    def forward(self, hidden_states, top_k_index, top_k_weights):
        x, result = hidden_states.to(DTYPE).double(), torch.zeros(hidden_states.shape, dtype=torch.float64)
        for row, (chosen, weights) in enumerate(zip(top_k_index, top_k_weights.to(DTYPE).double())):
            for expert, weight in zip(chosen.tolist(), weights):
                gate, up = product_by_token(x[row : row + 1], *self.first[expert]).chunk(2, -1)
                inner = torch.nn.functional.silu(gate) * up
                result[row] += weight * product_by_token(inner, *self.second[expert])[0].to(DTYPE).double()
        return result.to(DTYPE).float()


def quantise(linear):
    def change(model, folder):
        kinds, tensors = {}, {}
        modules = dict(model.model.named_modules())
        wanted = {
            name: module
            for name, module in modules.items()
            if isinstance(module, torch.nn.Linear) or name.endswith(".experts")
        }
        for name, tensor in model.state_dict().items():
            owner = name.removeprefix("model.").rpartition(".")[0]
            if not owner.endswith(".experts"):
                kinds[name], tensors[name] = "FLOAT", tensor.to(DTYPE).contiguous()
        for name, module in wanted.items():
            if name.endswith(".gate"):
                continue  # the router stays as it is
            parent, _, last = name.rpartition(".")
            new = Experts(module) if last == "experts" else linear(module.weight.data)
            setattr(model.model.get_submodule(parent), last, new)
            for part, tensor in new.files().items():
                tensors[f"model.{name}.{part}"] = tensor
                kinds[f"model.{name}.{part}"] = "W8A8_DYNAMIC" if last == "experts" else linear.kind
        safetensors.torch.save_file(tensors, folder + "/model.safetensors", {"format": "pt"})
        with open(folder + "/quant_model_description.json", "w") as file:
            json.dump({"model_quant_type": linear.kind, **kinds}, file)

    return change


if __name__ == "__main__":
    kind = sys.argv[1]
    change = quantise(Static if kind == "static" else Dynamic)
    model = "qwen3_moe" if kind == "experts" else "llama"
    folder, prompts, wanted = small.make(model, "float16", lengths=(5, 11, 3), change=change)
    small.same(small.generate(small.engine(folder, "float16", quantization="ascend"), prompts), wanted)
