# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Answers that misled, and what was refused without need."""
import ctypes
import os
import subprocess
import sys
import threading

from entry import NEWEST, Functions, compiled, entry, equal, message_of, refused


@entry("2.1", "jit_compile=True: operators are computed, and it is taken back")
def compiling():
    import torch
    import torch_npu  # noqa: F401
    x = torch.rand(2, 3)
    torch.npu.set_compile_mode(jit_compile=True)
    for call in (lambda a: a + a, lambda a: torch.nn.functional.gelu(a, approximate="tanh"), lambda a: a @ a.t(), lambda a: a.softmax(1)):
        equal(call(x.npu()), call(x), 1e-6)
    torch.npu.set_compile_mode(jit_compile=False)
    equal(x.npu() + 1, x + 1)


@entry("2.1 max_pool2d", "max_pool2d with jit_compile=True")
def pooling():
    import torch
    import torch_npu  # noqa: F401
    torch.npu.set_compile_mode(jit_compile=True)
    x = torch.rand(1, 2, 6, 6)
    equal(torch.nn.functional.max_pool2d(x.npu(), 2), torch.nn.functional.max_pool2d(x, 2))


@entry("2.2", "an error that was caught does not head the next one")
def headed():
    import torch
    import torch_npu  # noqa: F401
    a = torch.ones(2, 3, device="npu")
    for earlier in (lambda: torch.empty(1 << 45, device="npu"), lambda: torch.npu.set_device(7)):
        message_of(earlier)
        text = message_of(lambda: a @ torch.ones(2, 2, device="npu"))
        assert "error code is 161002" in text, text[:300]


@entry("2.3", "aclrtProcessReport that timed out leaves no sentence")
def polled():
    runtime = ctypes.CDLL("libascendcl.so")
    runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
    stream = ctypes.c_void_p()
    assert runtime.aclrtSetDevice(0) == 0 and runtime.aclrtCreateStream(ctypes.byref(stream)) == 0
    assert runtime.aclrtSubscribeReport(ctypes.c_uint64(threading.get_ident()), stream) == 0
    assert runtime.aclrtProcessReport(50) != 0
    said = runtime.aclGetRecentErrMsg()
    assert not said, said


@entry("2.4", "a child forked after the import computes")
def forked():
    import torch
    import torch_npu  # noqa: F401
    child = os.fork()
    if child == 0:
        os._exit(0 if (torch.ones(4).npu() + 1).cpu().tolist() == [2] * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0


@entry("2.5 label", "a collective's timeout is not called an invalid argument")
def labelled():
    import tempfile
    program = """
import os, sys, time, datetime
import torch, torch_npu, torch.distributed as dist
rank = int(sys.argv[1])
torch.npu.set_device(rank)
dist.init_process_group("hccl", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
x = torch.ones(4).npu()
dist.all_reduce(x)
torch.npu.synchronize()
if rank == 1:
    time.sleep(40)
    os._exit(0)
try:
    dist.all_reduce(x)
    torch.npu.synchronize()
except RuntimeError as error:
    print("refused:", error, flush=True)
os._exit(0)
"""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BELAY_DEVICES": "2", "HCCL_EXEC_TIMEOUT": "3", "HCCL_CONNECT_TIMEOUT": "120"}
        both = [subprocess.Popen([sys.executable, "-c", program, str(rank), folder + "/store"], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for rank in range(2)]
        said = both[0].communicate(timeout=90)[0]
        both[1].kill()
    refusal = said.partition("refused:")[2]
    assert "HcclAllReduce" in refusal and "107020" in refusal, said[-300:]
    assert "Invalid_Argument" not in said, [line for line in said.splitlines() if "Invalid_Argument" in line][0][:200]
    assert "Execution_Error" in refusal, refusal


@entry("2.5 capture", "the end of a failed capture names the first cause")
def captured():
    import torch
    import torch_npu  # noqa: F401
    a = torch.ones(3).npu()

    def record():
        with torch.npu.graph(torch.npu.NPUGraph()):
            (a + 1).cpu()

    text = message_of(record)
    assert "aclrtMemcpy: a stream is being recorded" in text, text[:300]


@entry("2.5 devices", "ASCEND_RT_VISIBLE_DEVICES=\"\" hides all devices")
def hidden():
    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = ""
    import torch
    import torch_npu  # noqa: F401
    assert not torch.npu.is_available() and torch.npu.device_count() == 0
    assert refused(lambda: torch.ones(2).npu())


@entry("2.6", "ATB's functions of torch_npu: _npu_reshape_and_cache")
def cached():
    import torch
    import torch_npu
    key, value = torch.randn(3, 2, 16).half(), torch.randn(3, 2, 16).half()
    caches = [torch.zeros(2, 4, 2, 16).half().npu() for _ in range(2)]
    torch_npu._npu_reshape_and_cache(key.npu(), value.npu(), *caches, torch.tensor([5, 0, 3], dtype=torch.int32).npu())
    for cache, rows in zip(caches, (key, value)):
        wanted = torch.zeros(8, 2, 16).half()
        wanted[[5, 0, 3]] = rows
        equal(cache, wanted.view(2, 4, 2, 16))


@entry("2.7", "queue.put(npu tensor) to another process")
def shared():
    program = """
import torch, torch_npu, torch.multiprocessing as mp
def child(queue, results):
    x = queue.get(timeout=40)
    x.add_(1)
    torch.npu.synchronize()
    results.put(x.sum().item())
if __name__ == "__main__":
    context = mp.get_context("spawn")
    queue, results = context.Queue(), context.Queue()
    process = context.Process(target=child, args=(queue, results), daemon=True)
    process.start()
    x = torch.arange(10.0, device="npu")
    queue.put(x)
    assert results.get(timeout=60) == 55 and x.sum().item() == 55
    process.join(20)
    print("shared")
"""
    import tempfile
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([sys.executable, file.name], capture_output=True, text=True, check=False, timeout=90)
    assert "shared" in done.stdout, done.stderr[-400:]


@entry("2.8", "a program of offline models compiles, and one sentence refuses them")
def models():
    text = compiled("""
#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include <stdio.h>
int main(void)
{
    uint32_t id = 0;
    size_t work = 0, weights = 0;
    aclInit(NULL);
    aclrtSetDevice(0);
    aclmdlDesc *description = aclmdlCreateDesc();
    aclmdlDataset *set = aclmdlCreateDataset();
    int sized = aclmdlQuerySize("model.om", &work, &weights), loaded = aclmdlLoadFromFile("model.om", &id);
    printf("%d %d %s\\n", sized, loaded, aclGetRecentErrMsg());
    (void)description;
    (void)set;
    (void)aclmdlExecute;
    (void)aclmdlUnload;
    (void)aclmdlSetInputAIPP;
    return !(sized && loaded);
}
""", "ascendcl")
    assert "aclmdl" in text and "is not supported: an offline model" in text, text


def inference(query, key, value, **options):
    import torch_npu
    return torch_npu.npu_fused_infer_attention_score(query.npu(), key.npu(), value.npu(), **options)[0]


@entry("2.9", "FusedInferAttentionScore of TND with a block table")
def packed():
    import torch
    import torch_npu  # noqa: F401
    torch.manual_seed(0)
    heads, depth, size, lengths = 2, 16, 16, [20, 9]
    key, value = torch.randn(4, size, heads * depth).half(), torch.randn(4, size, heads * depth).half()
    table = torch.tensor([[2, 0], [3, 1]], dtype=torch.int32)
    query = torch.randn(2, heads, depth).half()
    found = inference(query, key, value, num_heads=heads, num_key_value_heads=heads, input_layout="TND", scale=0.25, block_size=size,
                      block_table=table.npu(), actual_seq_lengths=[1, 2], actual_seq_lengths_kv=lengths)
    for row, length in enumerate(lengths):
        k, v = (cache[table[row].long()].reshape(-1, heads, depth)[:length].float() for cache in (key, value))
        weights = (torch.einsum("hd,khd->hk", query[row].float(), k) * 0.25).softmax(1)
        equal(found[row], torch.einsum("hk,khd->hd", weights, v), 2e-3)


@entry("2.10", "FusedInferAttentionScore with one row and actual_seq_lengths [29], [100]")
def one_row():
    import torch
    for length in 29, 100:
        query, key, value = (torch.randn(1, 2, 1, 16).half() for _ in range(3))
        found = inference(query, key, value, num_heads=2, input_layout="BNSD", scale=1.0, actual_seq_lengths=[length])
        equal(found, value, 1e-3)


@entry("2.11 fill_", "a fill of an overlapping view")
def filled():
    import torch
    import torch_npu  # noqa: F401
    equal(torch.zeros(1).npu().expand(3).fill_(2), [2.0, 2, 2])


@entry("2.11 ge", "torch.ge of a number and a tensor")
def compared():
    import torch
    import torch_npu  # noqa: F401
    equal(torch.ge(torch.tensor(1.0), torch.tensor([0.5, 1, 2]).npu()).int(), [1, 1, 0])


@entry("2.12 GroupedMatmulV5", "several x and weights, one output, no group list")
def one_output():
    import torch
    import torch_npu
    x, weight = [torch.randn(n, 8).half() for n in (2, 3)], [torch.randn(8, 4).half() for _ in range(2)]
    found = torch_npu.npu_grouped_matmul([v.npu() for v in x], [v.npu() for v in weight], split_item=3, group_type=0,
                                         output_dtype=torch.float16)
    equal(found[0], torch.cat([a.float() @ b.float() for a, b in zip(x, weight)]), 5e-3)


@entry("2.12 Cat", "aclnnCat of an empty list")
def of_nothing():
    import torch
    import torch_npu  # noqa: F401
    functions, out = Functions(), torch.empty(0).npu()
    assert functions.call("aclnnCat", functions.tensors([]), ctypes.c_int64(0), functions.tensor(out)) == 0


@entry("2.12 Hardtanh", "min above max")
def crossed():
    import torch
    import torch_npu  # noqa: F401
    x = torch.randn(9)
    equal(torch.ops.aten.hardtanh(x.npu(), 2.0, -1.0), [-1.0] * 9)


@entry("2.12 LinalgVectorNorm", "of DOUBLE")
def long_norm():
    import torch
    import torch_npu  # noqa: F401
    x = torch.randn(9, dtype=torch.float64)
    equal(torch.linalg.vector_norm(x.npu(), 3), torch.linalg.vector_norm(x, 3), 1e-14)


@entry("2.12 task groups", "groups of tasks in a capture")
def groups():
    import torch
    import torch_npu  # noqa: F401
    x, graph, stream = torch.ones(4).npu(), torch.npu.NPUGraph(), torch.npu.Stream()
    with torch.npu.graph(graph, stream=stream):
        torch.npu.graph_task_group_begin(stream)
        y = x + 1
        handle = torch.npu.graph_task_group_end(stream)
    graph.replay()
    torch.npu.synchronize()
    assert handle is not None
    equal(y, [2.0] * 4)


@entry("2.12 aclrtLaunchCallback", "in a capture")
def called():
    import torch
    import torch_npu  # noqa: F401
    torch.ones(1).npu()
    runtime, seen, ends = ctypes.CDLL("libascendcl.so"), [], []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: seen.append(1))
    context, stream, model = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert runtime.aclrtGetCurrentContext(ctypes.byref(context)) == 0

    def report():
        runtime.aclrtSetCurrentContext(context)
        while not ends:
            runtime.aclrtProcessReport(20)

    reporter = threading.Thread(target=report)
    reporter.start()
    try:
        assert runtime.aclrtCreateStream(ctypes.byref(stream)) == 0
        assert runtime.aclrtSubscribeReport(ctypes.c_uint64(reporter.ident), stream) == 0
        assert runtime.aclmdlRICaptureBegin(stream, 1) == 0
        status = runtime.aclrtLaunchCallback(function, None, 1, stream)
        ended = runtime.aclmdlRICaptureEnd(stream, ctypes.byref(model))
        assert status == 0 and ended == 0, (status, ended)
        assert runtime.aclmdlRIExecuteAsync(model, stream) == 0 and runtime.aclrtSynchronizeStream(stream) == 0
        assert seen == [1]
    finally:
        ends.append(1)
        reporter.join()


@entry("2.12 GetMaxWorkspaceSize", "a workspace that serves all lengths", NEWEST)
def workspaces():
    import torch
    import torch_npu
    query, key = torch.randn(1, 2, 1, 16).half().npu(), torch.randn(1, 2, 8, 16).half().npu()
    options = {"num_heads": 2, "input_layout": "BNSD", "scale": 1.0}
    workspace = torch_npu._npu_fused_infer_attention_score_get_max_workspace(query, key, key, actual_seq_lengths_kv=[8], **options)
    found, rest = torch.empty_like(query), torch.empty(1, dtype=torch.float16).npu()
    for length in 1, 5, 8:
        torch_npu.npu_fused_infer_attention_score.out(query, key, key, actual_seq_lengths_kv=[length], workspace=workspace, out=[found, rest],
                                                      **options)
        equal(found, inference(query, key, key, actual_seq_lengths_kv=[length], **options).cpu())


@entry("2.12 IPC events", "an event that another process may wait for")
def events():
    import torch
    import torch_npu  # noqa: F401
    event = torch.npu.Event(interprocess=True)
    event.record()
    program = """
import sys, torch, torch_npu
torch.npu.set_device(0)
event = torch.npu.Event.from_ipc_handle(torch.device("npu:0"), bytes.fromhex(sys.argv[1]))
event.synchronize()
print("waited", event.query())
"""
    done = subprocess.run([sys.executable, "-c", program, event.ipc_handle().hex()], capture_output=True, text=True, check=False, timeout=90)
    assert "waited True" in done.stdout, done.stderr[-400:]
