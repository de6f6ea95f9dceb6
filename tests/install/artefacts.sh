#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# artefacts.sh [torch]
# What scripts/test_artefacts.sh does in a minimal Debian: /given/artefacts holds the files of a release, and nothing
# else of Belay is there. Every step is printed; the first that fails ends it.
set -euo pipefail
artefacts=/given/artefacts
step() { printf '\n=== %s (%d s)\n' "$1" "$SECONDS"; }
wrong() {
    echo "artefacts.sh: $1" >&2
    exit 1
}
quietly() { "$@" >/tmp/log 2>&1 || { tail -n 40 /tmp/log; wrong "$* failed"; }; }
# files FOLDER: all below it, but for what apt, dpkg, the loader and fontless man keep for themselves, and this script.
files() {
    find "$1" -xdev \( -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /given -o -path /tmp \) \
        -prune -o -printf '%y %p\n' | sort
}
# as_before WHAT FOLDER: nothing is there that was not when "files FOLDER >/tmp/before" was said, and nothing is missing.
as_before() {
    files "$2" | diff /tmp/before - >/tmp/left || { head -n 20 /tmp/left; wrong "$1 left other files than it found"; }
    echo "no file more, none less: $(wc -l </tmp/before)"
}
no_compiler() { ! compgen -c | grep -xE '(cc|gcc|g\+\+|clang|c99|make|cmake)(-[0-9]+)?' || wrong "there is a compiler"; }

step "checksums"
(cd "$artefacts" && sha256sum --check SHA256SUMS)
version=$(basename "$artefacts"/belay_npu-*.tar.gz .tar.gz)
version=${version#belay_npu-}
machine=$(uname -m)
large=$(find "$artefacts" -name '*.whl' -size +6M)
[ -z "$large" ] || wrong "larger than 6 MiB: $large"

step "Python, no compiler"
quietly apt-get update
quietly apt-get install -y --no-install-recommends python3 python3-venv
no_compiler
python3 --version
python3 -m venv /opt/environment
export PATH=/opt/environment/bin:$PATH

# numbers: a result by the command on files, by ctypes, by the packages, and examples, wherever they are installed.
cat >/tmp/by_ctypes.py <<'END'
import ctypes, sys
import numpy
libraries = sys.argv[1] + "/lib64/lib"
runtime, tensors, operators = (ctypes.CDLL(libraries + name + ".so") for name in ("ascendcl", "nnopbase", "opapi"))
tensors.aclCreateTensor.restype = ctypes.c_void_p
shape = (ctypes.c_int64 * 1)(3)
assert runtime.aclrtSetDevice(0) == 0
arrays = [numpy.ones(3, numpy.float32), numpy.array([-1, 0, 1], numpy.float32), numpy.zeros(3, numpy.float32)]
handles, places = [], []
for array in arrays:
    memory = ctypes.c_void_p()
    assert runtime.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(12), 0) == 0
    assert runtime.aclrtMemcpy(memory, ctypes.c_size_t(12), ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(12), 1) == 0
    places.append(memory)
    handles.append(ctypes.c_void_p(tensors.aclCreateTensor(shape, ctypes.c_uint64(1), 0, None, ctypes.c_int64(0), 2, shape,
                                                           ctypes.c_uint64(1), memory)))
size, executor = ctypes.c_uint64(), ctypes.c_void_p()
assert operators.aclnnSiluBackwardGetWorkspaceSize(*handles, ctypes.byref(size), ctypes.byref(executor)) == 0
assert operators.aclnnSiluBackward(None, size, executor, None) == 0 and runtime.aclrtSynchronizeDevice() == 0
result = arrays[2]
assert runtime.aclrtMemcpy(ctypes.c_void_p(result.ctypes.data), ctypes.c_size_t(12), places[2], ctypes.c_size_t(12), 2) == 0
print("ctypes:", result)
numpy.save("/tmp/by_ctypes.npy", result)
END
cat >/tmp/by_packages.py <<'END'
import sys
import acl, belay_npu, numpy
assert belay_npu.__version__ == sys.argv[1], belay_npu.__version__
assert acl.init() == 0 and acl.rt.set_device(0) == 0
x = numpy.array([-1, 0, 1], numpy.float32)
result = belay_npu.silu_backward(numpy.ones(3, numpy.float32), x)
assert (result == numpy.load("/tmp/by_ctypes.npy")).all() and result[1] == 0.5
numpy.save("/tmp/x.npy", x)
numpy.save("/tmp/ones.npy", numpy.ones(3, numpy.float32))
numpy.save("/tmp/by_packages.npy", result)
print(acl.__file__, belay_npu.__file__)
END
# Two processes, of which the second one ends before the other; with the C++ library that most frameworks have loaded,
# which has no part in the connections.
cat >/tmp/by_ranks.py <<'END'
import ctypes, os, sys
reads, writes = os.pipe()
rank = 0 if os.fork() else 1
ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)
runtime, collectives = (ctypes.CDLL(f"{sys.argv[1]}/lib64/lib{name}.so") for name in ("ascendcl", "hccl"))
runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
def must(status):
    assert status == 0, (rank, status, runtime.aclGetRecentErrMsg())
root, group, memory, three = ctypes.create_string_buffer(4108), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(12)
must(runtime.aclrtSetDevice(0))
if rank == 0:
    must(collectives.HcclGetRootInfo(root))
    os.write(writes, root.raw)
else:
    root.raw = os.read(reads, 4108)
must(collectives.HcclCommInitRootInfo(ctypes.c_uint32(2), root, ctypes.c_uint32(rank), ctypes.byref(group)))
host = (ctypes.c_float * 3)(1, 2, 3 + rank)
must(runtime.aclrtMalloc(ctypes.byref(memory), three, 0))
def add_up():
    must(collectives.HcclAllReduce(memory, memory, ctypes.c_uint64(3), 4, 0, group, None))
    return runtime.aclrtSynchronizeStream(None)
must(runtime.aclrtMemcpy(memory, three, host, three, 1))
must(add_up())
must(runtime.aclrtMemcpy(host, three, memory, three, 2))
assert list(host) == [2, 4, 7], list(host)
if rank == 1:
    os._exit(0)
assert os.wait()[1] == 0
status, sentence = add_up(), runtime.aclGetRecentErrMsg()
assert status == 507057 and b"rank 1" in sentence, (status, sentence)
print("two processes:", list(host), sentence.decode())
END
numbers() {
    belay info
    python3 /tmp/by_ctypes.py "$(belay prefix)"
    python3 /tmp/by_packages.py "$version"
    belay eval aclnnSiluBackward --gradOutput /tmp/ones.npy --self /tmp/x.npy --out /tmp/by_command.npy
    cmp /tmp/by_command.npy /tmp/by_packages.npy
    belay run python3 /tmp/by_packages.py "$version"
    belay check python3 /tmp/by_packages.py "$version"
    python3 "$1/training_loop.py"
}

step "pip install belay_npu-$version-...-$machine.whl"
files /opt/environment >/tmp/before
quietly pip install "$artefacts"/belay_npu-*-manylinux*_"$machine".whl
pip list
du -sh "$(belay prefix)"
numbers "$(belay prefix)/share/doc/belay/examples"
! ldconfig -p | grep libgloo || wrong "the system has a Gloo, and the wheel is to have one"
timeout 100 python3 /tmp/by_ranks.py "$(belay prefix)"

step "pip uninstall"
quietly pip uninstall -y belay-npu numpy
# Of folders for manual pages and completion pip takes the last away, and leaves empty those above.
find /opt/environment/share -depth -type d -empty -delete
as_before "the wheel" /opt/environment

if [ "${1-}" = torch ]; then
    step "pip install torch-npu and the wheel"
    quietly pip install --no-cache-dir torch-npu "$artefacts"/belay_npu-*-manylinux*_"$machine".whl
    pip list 2>/dev/null | grep -iE '^(torch|belay)'
    for example in mlp cnn; do
        step "a PyTorch training program: examples/pytorch/$example.py"
        belay run python3 "$(belay prefix)/share/doc/belay/examples/pytorch/$example.py"
    done
fi
rm -rf /opt/environment
hash -r

step "the other wheel, in an emulator"
other=x86_64
[ "$machine" = x86_64 ] && other=aarch64
quietly apt-get install -y --no-install-recommends qemu-user "libc6-$([ $other = aarch64 ] && echo arm64 || echo amd64)-cross"
python3 -m zipfile -e "$artefacts"/belay_npu-*-manylinux*_$other.whl /tmp/other
chmod +x /tmp/other/belay_npu/latest/bin/belay
emulated() { qemu-$other -L /usr/$other-linux-gnu /tmp/other/belay_npu/latest/bin/belay "$@"; }
emulated info
emulated eval aclnnSiluBackward --gradOutput /tmp/ones.npy --self /tmp/x.npy --out /tmp/by_other.npy
cmp /tmp/by_other.npy /tmp/by_command.npy
echo "the same bytes as here"

step "apt install ./belay_$version ./python3-belay_$version"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
quietly apt-get install -y --no-install-recommends python3-numpy
no_compiler
files / >/tmp/before
quietly apt-get install -y --no-install-recommends "$artefacts"/belay_"$version"_*.deb "$artefacts"/python3-belay_"$version"_all.deb
dpkg -l '*belay*' | grep '^ii'
[ ! -e /usr/lib/belay/toolkit/include ] || wrong "there are headers without libbelay-dev"
numbers /usr/share/doc/belay/examples
step "apt purge"
rm -rf ~/ascend ~/.cache/pip
quietly apt-get purge -y belay python3-belay-npu
as_before "the packages" /

step "apt install g++, then all three packages"
quietly apt-get install -y --no-install-recommends g++ cmake make pkg-config
files / >/tmp/before
quietly apt-get install -y --no-install-recommends "$artefacts"/*.deb
dpkg -l '*belay*' | grep '^ii'
quietly dpkg --verify belay libbelay-dev python3-belay-npu
if find /usr/lib/belay /usr/share/doc/belay /usr/lib/python3/dist-packages/belay_npu -xtype l | grep .; then
    wrong "these links lead nowhere"
fi
step "what the wheels ask of the system's libc: no more than their names promise"
for wheel in "$artefacts"/*.whl; do
    rm -rf /tmp/wheel
    python3 -m zipfile -e "$wheel" /tmp/wheel
    newest=$(find /tmp/wheel/belay_npu/latest -type f \( -name '*.so' -o -path '*/bin/belay' \) |
        tr "\n" "\0" | xargs -0 -n 1 readelf -VW | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
    echo "${wheel##*/}: ${newest:?}"
    [ "$(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || wrong "$newest is newer than 2.28"
done
step "debian/tests/smoke"
/given/smoke
step "sample programs of the operators' documents"
if [ -d /given/samples ]; then
    bash /given/run_samples.sh build_tree /given/samples /usr/lib/belay/toolkit /usr/lib/belay/toolkit g++ gcc
else
    echo "skipped: no documents were given"
fi
step "the examples"
mkdir /tmp/examples
for source in /usr/share/doc/belay/examples/*.{c,cpp}; do
    name=$(basename "${source%.*}")
    compiler=gcc
    [[ $source != *.cpp ]] || compiler="g++ -std=c++11"
    collectives=
    ! grep -q '"hccl/hccl.h"' "$source" || collectives=-lhccl
    # shellcheck disable=SC2046,SC2086 # both are several words
    $compiler "$source" $(pkg-config --cflags --libs belay) $collectives -lm -o "/tmp/examples/$name"
    "/tmp/examples/$name" >/tmp/log 2>&1 || { cat /tmp/log; wrong "$name failed"; }
    echo "$name"
done
step "apt purge"
quietly apt-get purge -y belay libbelay-dev python3-belay-npu
as_before "the packages" /

step "all is well"
