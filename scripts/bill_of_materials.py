#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Prints the bill of materials of a release, an SPDX 2.3 document: what is in its files, and what they need.

    bill_of_materials.py FOLDER VERSION SECONDS

FOLDER holds the files, SECONDS is the time of the commit. There is a package for each file, with its checksum; one for
each thing that it needs on the machine, as its metadata or that of its ELF files say: a library that a binary needs, a
package of Python's or Debian's; and one for each thing in it that is not Belay's own: yyjson in the sources and in
libascendcl.so, Gloo in the wheels, with the C++ library of the compiler.
"""
import datetime
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

LICENSE = "Apache-2.0"
HERE = Path(__file__).parent


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def needed_libraries(binaries):
    """The sonames that these ELF files need and that are none of theirs."""
    needs, own = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(binaries):
            path = Path(folder, str(number))
            path.write_bytes(content)
            said = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
            needs.update(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
            own.update(re.findall(r"\(SONAME\).*\[(.*)\]", said))
    return needs - own


def requirements(path):
    """What the file needs where it is installed, as (name, package URL)."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            contents = {name: wheel.read(name) for name in wheel.namelist()}
        metadata = next(text for name, text in contents.items() if name.endswith(".dist-info/METADATA")).decode()
        for name in re.findall(r"^Requires-Dist: ([A-Za-z0-9_.-]+)", metadata, re.MULTILINE):
            yield name, f"pkg:pypi/{name.lower()}"
        for name in needed_libraries(text for text in contents.values() if text.startswith(b"\x7fELF")):
            yield name, None
    elif path.suffix == ".deb":
        said = subprocess.run(["dpkg-deb", "--field", path, "Depends"], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"(?:^|[,|])\s*([a-z0-9.+-]+)", said):
            if not re.fullmatch("belay|libbelay-dev|python3-belay-npu", name):
                yield name, f"pkg:deb/debian/{name}"


def pinned(file, name):
    """The version of a package that a file of requirements fixes."""
    return re.search(f"^{name}==([^ \\n]+)", (HERE / file).read_text(), re.MULTILINE).group(1)


def reference(url):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}]


def names(path):
    """Of the files in it."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    if path.suffix == ".gz":
        with tarfile.open(path) as sources:
            return sources.getnames()
    return subprocess.run(["dpkg-deb", "--contents", path], capture_output=True, text=True, check=True).stdout.splitlines()


def part(name, licence, text, origin, version, url):
    """As an origin has it, whose version is known: the part itself, or what its sources are taken from."""
    fields = {"versionInfo": version} if name == origin else {}
    return name, {"licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": text, **fields,
                  "sourceInfo": f"as {origin} {version} has it", "externalRefs": reference(f"pkg:{url}@{version}")}


def parts(path):
    """What is in the file that others have written, as (name, fields)."""
    endings = {name.rsplit("/", 1)[-1] for name in names(path)}
    if endings & {"yyjson.c", "libascendcl.so"}:
        version = re.search('YYJSON_VERSION_STRING "(.*)"', (HERE.parent / "third_party/yyjson/yyjson.h").read_text()).group(1)
        yield part("yyjson", "MIT", "Copyright (c) 2020 YaoYuan <ibireme@gmail.com>", "yyjson", version, "github/ibireme/yyjson")
    # In the Debian packages it needs the system's.
    if path.suffix == ".whl" and "libbelay_gloo.so" in endings:
        yield part("gloo", "BSD-3-Clause", "Copyright (c) 2017-present, Facebook, Inc.", "horovod", pinned("gloo.txt", "horovod"),
                   "pypi/horovod")
        yield part("libc++", "Apache-2.0 WITH LLVM-exception", "NOASSERTION", "ziglang", pinned("release-tools.txt", "ziglang"),
                   "pypi/ziglang")


def document(folder, version, seconds):
    packages, relations = {}, []

    def add(name, **fields):
        packages[name] = {"SPDXID": identifier(name), "name": name, "downloadLocation": "NOASSERTION",
                          "filesAnalyzed": False, "copyrightText": "NOASSERTION", **fields}

    def relate(first, kind, second):
        relation = {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
        if relation not in relations:
            relations.append(relation)

    for path in sorted(folder.iterdir()):
        if path.suffix not in (".gz", ".whl", ".deb"):
            continue
        inside = dict(parts(path))
        licence = " AND ".join([LICENSE, *(f"({fields['licenseDeclared']})" for fields in inside.values())])
        add(path.name, versionInfo=version, packageFileName=path.name, supplier="Organization: The Belay authors",
            licenseConcluded=licence, licenseDeclared=licence,
            checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
        packages[path.name]["copyrightText"] = "The Belay authors"
        relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier(path.name))
        for name, fields in inside.items():
            add(name, **fields)
            relate(identifier(path.name), "CONTAINS", identifier(name))
        for name, url in sorted(requirements(path)):
            add(name)
            if url:
                packages[name]["externalRefs"] = reference(url)
            relate(identifier(path.name), "DEPENDS_ON", identifier(name))
    # The name of the document is to be its own alone: it has the checksums of all that it is about.
    digest = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"belay-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/belay-{version}-{digest}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
                         .strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Organization: The Belay authors",
                                                                     "Tool: bill_of_materials.py"]},
        "packages": list(packages.values()),
        "relationships": relations,
    }


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    json.dump(document(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])), sys.stdout, indent=1)
    print()
