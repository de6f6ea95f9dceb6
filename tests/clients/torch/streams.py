# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Streams and events: work in order, waits between streams, times, queries."""
import torch

side = torch.npu.Stream()
begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
x = torch.ones(1 << 20, device="npu")
begin.record()
for step in range(20):
    x = x + 1
    done = torch.npu.Event()
    done.record()
    with torch.npu.stream(side):
        side.wait_event(done)
        y = x * 2
    torch.npu.current_stream().wait_stream(side)
    x = y - x
end.record()
torch.npu.synchronize()
assert begin.elapsed_time(end) >= 0 and side.query() and end.query()
assert torch.equal(x.cpu(), torch.full((1 << 20,), 21.0))
assert torch.npu.current_stream() != side

# A stream that sleeps holds up what is behind it, and no other stream.
with torch.npu.stream(side):
    torch.npu._sleep(100_000_000)
    later = x + 1
assert not side.query()
assert torch.equal((x + 2).cpu(), torch.full((1 << 20,), 23.0))
side.synchronize()
assert torch.equal(later.cpu(), torch.full((1 << 20,), 22.0))
