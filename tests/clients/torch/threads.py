# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Several threads, each with its own stream."""
import threading

import torch

faults = []


def work(number):
    try:
        with torch.npu.stream(torch.npu.Stream()):
            x = torch.full((10000,), float(number), device="npu")
            for _ in range(20):
                x = x + 1
            torch.npu.current_stream().synchronize()
            assert torch.equal(x.cpu(), torch.full((10000,), number + 20.0))
    except BaseException as error:  # pylint: disable=broad-except
        faults.append(error)


threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not faults, faults
