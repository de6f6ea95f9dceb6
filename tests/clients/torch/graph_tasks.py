# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Groups of tasks in torch.npu.graph: attention whose lengths change between replays, by hand and by update()."""
import torch
import torch_npu

torch.manual_seed(3)
BATCH, HEADS, KEYS, DEPTH = 2, 4, 32, 64
query = torch.randn(BATCH, HEADS, 1, DEPTH, dtype=torch.float16).npu()
key, value = (torch.randn(BATCH, HEADS, KEYS, DEPTH, dtype=torch.float16).npu() for _ in range(2))
options = dict(num_heads=HEADS, input_layout="BNSD", scale=0.125)
all_lengths = [[5, 7], [32, 1], [17, 31], [1, 2]]


def attend(lengths):
    return torch_npu.npu_fused_infer_attention_score(query, key, value, actual_seq_lengths_kv=lengths, **options)[0]


def attend_v2(lengths):
    return torch_npu.npu_fused_infer_attention_score_v2(
        query, key, value, actual_seq_kvlen=lengths, num_query_heads=HEADS, input_layout="BNSD", softmax_scale=0.125
    )[0]


# A workspace that serves all lengths, and attention that is given it and where the results go.
workspace = torch_npu._npu_fused_infer_attention_score_get_max_workspace(
    query, key, value, actual_seq_lengths_kv=[KEYS] * BATCH, **options
)
out, lse = torch.empty_like(query), torch.empty(1, dtype=torch.float16, device="npu")


def attend_into(lengths):
    torch_npu.npu_fused_infer_attention_score.out(
        query, key, value, actual_seq_lengths_kv=lengths, workspace=workspace, out=[out, lse], **options
    )


for lengths in all_lengths:
    attend_into(lengths)
    assert torch.equal(out, attend(lengths))

# By hand: a replay waits for a signal, which comes behind the update.
graph, side = torch.npu.NPUGraph(), torch.npu.Stream()
groups = []
with torch.npu.graph(graph):
    stream = torch.npu.current_stream()
    for _ in range(3):
        signal = torch.npu.ExternalEvent()
        signal.wait(stream)
        signal.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        attend_into([KEYS] * BATCH)
        groups.append((torch.npu.graph_task_group_end(stream), signal))
    doubled = out * 2


def update(group, lengths):
    torch.npu.graph_task_update_begin(side, group)
    with torch.npu.stream(side):
        attend_into(lengths)
    torch.npu.graph_task_update_end(side)


for lengths in all_lengths:
    expected = attend(lengths) * 2
    graph.replay()
    for group, signal in groups:
        assert not torch.npu.current_stream().query()
        update(group, lengths)
        signal.record(side)
    torch.npu.synchronize()
    assert torch.equal(doubled, expected)

# What does not fit is refused with both names, and the group stays as it is.
torch.npu.graph_task_update_begin(side, groups[0][0])
with torch.npu.stream(side):
    more = query + 1
try:
    torch.npu.graph_task_update_end(side)
    raise AssertionError("another function took the place of attention")
except RuntimeError as error:
    assert "aclnnFusedInferAttentionScore" in str(error) and "aclnnAdd" in str(error), error

# By update(), where PyTorch does that for each attention that is captured.
for function, name in (attend, "actual_seq_lengths_kv"), (attend_v2, "actual_seq_kvlen"):
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=True):
        first = function([KEYS] * BATCH)
        second = function([KEYS] * BATCH) + first
    for lengths in all_lengths:
        expected = function(lengths) * 2
        graph.update(cpu_update_input=[{name: lengths}])
        graph.replay()
        torch.npu.synchronize()
        assert torch.equal(second, expected)
        graph.replay()
        graph.update(cpu_update_input=[{name: lengths[::-1]}, {name: lengths}])
        torch.npu.synchronize()
        assert torch.equal(second, function(lengths) + function(lengths[::-1]))
