# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Models of transformers, of four families, each head beside the CPU: outputs, losses, gradients, a step, generation.

The weights are random, drawn on the CPU from a configuration, so nothing is fetched.
"""
import copy
import sys
import tempfile

import torch
import transformers
from transformers import AutoConfig

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "vocab_size": 99,
         "max_position_embeddings": 64, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
FAMILIES = {
    "bert": (SMALL, ("BertModel", "BertForMaskedLM", "BertForSequenceClassification", "BertForTokenClassification",
                     "BertForQuestionAnswering", "BertForMultipleChoice", "BertLMHeadModel")),
    "gpt2": ({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 99, "resid_pdrop": 0.0, "embd_pdrop": 0.0,
              "attn_pdrop": 0.0, "classifier_dropout": 0.0, "bos_token_id": 0, "eos_token_id": 98, "pad_token_id": 98},
             ("GPT2Model", "GPT2LMHeadModel", "GPT2ForSequenceClassification", "GPT2ForTokenClassification")),
    "llama": ({**SMALL, "num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
              ("LlamaModel", "LlamaForCausalLM", "LlamaForSequenceClassification", "LlamaForQuestionAnswering")),
    "t5": ({"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4, "vocab_size": 99,
            "dropout_rate": 0.0, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1},
           ("T5Model", "T5EncoderModel", "T5ForConditionalGeneration")),
}
# Relative to the largest element of each tensor.
BOUND = {torch.float32: 2e-5, torch.float16: 1e-2, torch.bfloat16: 6e-2}
passed, failed = 0, []


def check(what, good, said=""):
    global passed
    if good:
        passed += 1
    else:
        failed.append(what)
        print(f"FAILED {what} {said}", flush=True)


def near(what, ours, theirs, bound):
    ours, theirs = ours.detach().cpu().double(), theirs.detach().double()
    if ours.shape != theirs.shape:
        return check(what, False, f"{tuple(ours.shape)} instead of {tuple(theirs.shape)}")
    off = ((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-2)).item() if ours.numel() else 0.0
    check(what, off <= bound, f"off by {off:.1e}")


def inputs_of(name, family):
    """Two sequences, of which one is padded, and what the head learns from."""
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(3, 97, (2, 11), generator=generator)
    mask = torch.ones_like(tokens)
    given = {"input_ids": tokens, "attention_mask": mask}
    mask[1, 7:] = 0
    if "MultipleChoice" in name:
        return {"input_ids": tokens[None], "attention_mask": mask[None], "labels": torch.tensor([1])}
    if "SequenceClassification" in name:
        given["labels"] = torch.tensor([1, 0])
    elif "TokenClassification" in name:
        given["labels"] = torch.randint(0, 2, (2, 11), generator=generator)
    elif "QuestionAnswering" in name:
        given.update(start_positions=torch.tensor([1, 2]), end_positions=torch.tensor([4, 6]))
    elif any(part in name for part in ("LM", "Generation")):
        given["labels"] = tokens.masked_fill(mask == 0, -100)
    elif name == "T5Model":
        given["decoder_input_ids"] = tokens[:, :5]
    return given


def moved(values):
    return {key: value.npu() for key, value in values.items()}


def loss_of(output):
    return output.loss if getattr(output, "loss", None) is not None else output[0].float().square().mean()


def compare(what, family, name, model, dtype):
    ours = copy.deepcopy(model).to(dtype).npu()
    theirs = copy.deepcopy(model).to(dtype)
    given = inputs_of(name, family)
    bound = BOUND[dtype]
    left, right = ours(**moved(given)), theirs(**given)
    near(f"{what} output", left[1] if getattr(left, "loss", None) is not None else left[0],
         right[1] if getattr(right, "loss", None) is not None else right[0], bound)
    loss_of(left).backward()
    loss_of(right).backward()
    near(f"{what} loss", loss_of(left), loss_of(right), bound)
    for (key, mine), other in zip(ours.named_parameters(), theirs.parameters()):
        if (mine.grad is None) != (other.grad is None):
            check(f"{what} gradient of {key}", False, "one is None")
        elif mine.grad is not None and dtype == torch.float32:
            near(f"{what} gradient of {key}", mine.grad, other.grad, 10 * bound)
    if dtype == torch.float32:
        for part in (ours, theirs):
            torch.nn.utils.clip_grad_norm_(part.parameters(), 1.0)
            torch.optim.SGD(part.parameters(), lr=0.1).step()
        near(f"{what} loss behind a step", loss_of(ours(**moved(given))), loss_of(theirs(**given)), 10 * bound)


def generation(what, family, name, model):
    model = model.eval()
    ours = copy.deepcopy(model).npu()
    given = {key: value for key, value in inputs_of(name, family).items() if key != "labels"}
    if family != "t5":  # what is generated stands behind the last token, so pads come first
        given = {"input_ids": given["input_ids"].flip(1), "attention_mask": given["attention_mask"].flip(1)}
    for way, settings in {"greedy": {}, "without a cache": {"use_cache": False}, "beams": {"num_beams": 3},
                          "penalties": {"repetition_penalty": 1.3, "no_repeat_ngram_size": 2}}.items():
        right = model.generate(**given, max_new_tokens=8, do_sample=False, **settings)
        left = ours.generate(**moved(given), max_new_tokens=8, do_sample=False, **settings).cpu()
        check(f"{what} generates, {way}", torch.equal(left, right), f"{left.tolist()} instead of {right.tolist()}")
    drawn = []
    for _ in range(2):
        torch.manual_seed(4)
        drawn.append(ours.generate(**moved(given), max_new_tokens=8, do_sample=True, top_k=20, top_p=0.9).cpu())
    check(f"{what} generates, the same numbers from the same seed", torch.equal(*drawn))


def around(what, family, name, model):
    """Saving, checkpoints of gradients, and a vocabulary that grows."""
    given = inputs_of(name, family)
    ours = copy.deepcopy(model).npu()
    right = loss_of(model(**given))
    with tempfile.TemporaryDirectory() as folder:
        ours.save_pretrained(folder)
        again = type(model).from_pretrained(folder)
        near(f"{what} saved and read", loss_of(again(**given)), right, 2e-5)
        near(f"{what} read to the device", loss_of(type(model).from_pretrained(folder).npu()(**moved(given))), right, 2e-5)
    if model.supports_gradient_checkpointing:
        ours.train().gradient_checkpointing_enable()
        loss = loss_of(ours(**moved(given)))
        loss.backward()
        near(f"{what} with checkpoints", loss, right, 2e-5)
    larger = copy.deepcopy(model).npu()
    larger.resize_token_embeddings(105)
    check(f"{what} grows", larger.get_input_embeddings().weight.shape[0] == 105)


for family, (settings, names) in FAMILIES.items():
    for name in names:
        for attention in ("eager", "sdpa") if not name.startswith("T5") else ("eager",):
            config = AutoConfig.for_model(family, **settings, attn_implementation=attention)
            if name == "BertLMHeadModel":
                config.is_decoder = True
            torch.manual_seed(0)
            model = getattr(transformers, name)(config)
            for dtype in BOUND:
                compare(f"{name} {attention} {str(dtype)[6:]}", family, name, model, dtype)
            if any(part in name for part in ("CausalLM", "GPT2LMHead", "Generation")):
                generation(f"{name} {attention}", family, name, model)
            if attention == "eager":
                around(name, family, name, copy.deepcopy(model))
print(f"{passed} passed, {len(failed)} failed, transformers {transformers.__version__}")
sys.exit(1 if failed else 0)
