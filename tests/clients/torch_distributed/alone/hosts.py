# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Two hosts: network namespaces with a cable between them where the system lets its users make some, and two
addresses of the loopback besides. with: BELAY_DEVICES=2 BELAY_THREADS=1"""
import os
import pathlib
import socket
import subprocess
import sys
import time

PROGRAMS = pathlib.Path(__file__).resolve().parents[1]
SECONDS = 250


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def launch(prefix, number, address, port, program, **settings):
    """What a user types on one of two hosts, each with two devices."""
    command = [sys.executable, "-B", "-m", "torch.distributed.run", "--nnodes=2", f"--node-rank={number}",
               "--nproc-per-node=2", f"--master-addr={address}", f"--master-port={port}", str(PROGRAMS / program)]
    return subprocess.Popen(prefix + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1", **settings})


def both(what, prefixes, address, port, settings):
    for program in ("collectives.py", "ddp.py"):
        hosts = [launch(prefix, number, address, port, program, **setting)
                 for number, (prefix, setting) in enumerate(zip(prefixes, settings))]
        for number, host in enumerate(hosts):
            try:
                output = host.communicate(timeout=SECONDS)[0]
            except subprocess.TimeoutExpired:
                for other in hosts:
                    other.kill()
                sys.exit(f"{what}, {program}: host {number} does not end\n{host.communicate()[0][-2000:]}")
            if host.returncode:
                sys.exit(f"{what}, {program}: host {number} ends with {host.returncode}\n{output[-3000:]}")
        print(f"{what}: {program}", flush=True)


def loopback():
    settings = [{"HCCL_IF_IP": "127.0.0.1"}, {"HCCL_IF_IP": "127.0.0.2"}]
    both("two addresses", [[], []], "127.0.0.1", free_port(), settings)


def namespaces():
    """Within a network namespace of its own: makes a second one and a cable."""
    run = lambda *words: subprocess.run(words, check=True)  # noqa: E731
    with subprocess.Popen(["unshare", "--net", "sleep", "600"]) as other:
        try:
            mine = os.readlink("/proc/self/ns/net")
            while os.readlink(f"/proc/{other.pid}/ns/net") == mine:
                time.sleep(0.02)
            there = ["nsenter", "--target", str(other.pid), "--net"]
            run("ip", "link", "add", "name", "cable0", "type", "veth", "peer", "name", "cable1", "netns", str(other.pid))
            for place, number in (([], 0), (there, 1)):
                run(*place, "ip", "address", "add", f"10.99.0.{number + 1}/24", "dev", f"cable{number}")
                run(*place, "ip", "link", "set", f"cable{number}", "up")
                run(*place, "ip", "link", "set", "lo", "up")
            # The second finds its address by what it has to go through to reach the first.
            both("two hosts", [[], there], "10.99.0.1", 29500, [{}, {}])
            both("two hosts, by the name of the interface", [[], there], "10.99.0.1", 29501,
                 [{"HCCL_SOCKET_IFNAME": "cable"}, {"HCCL_SOCKET_IFNAME": "=cable1"}])
        finally:
            other.kill()


def main():
    if sys.argv[1:] == ["inside"]:
        namespaces()
        return
    own = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
    if subprocess.run([*own, "ip", "link", "add", "name", "cable0", "type", "veth", "peer", "name", "cable1"], check=False,
                      capture_output=True).returncode == 0:
        inside = subprocess.run([*own, sys.executable, "-B", __file__, "inside"], check=False)
        if inside.returncode:
            sys.exit(inside.returncode)
    else:
        print("no network namespaces here")
    loopback()


if __name__ == "__main__":
    main()
