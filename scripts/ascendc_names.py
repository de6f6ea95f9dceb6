#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the table of docs/ascendc-names.md: the names of AscendC that kernels can use, each with its header and the
tests that use it, behind the sentence of those that are not there. A name is what the headers declare in namespace
AscendC, or define as a macro; what is there for the headers alone begins with a small letter, and is left out. Behind it
come those of ascendc_used.txt, what public kernels use: where each is and which tests have it, or why it is not there.

    scripts/ascendc_names.py            writes the table
    scripts/ascendc_names.py --check    fails where it is not the one that would be written

Either prints the names that no test has.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ascendc-names.md"
BEGIN, END = "<!-- names begin -->\n", "<!-- names end -->\n"
# Words of the dialect, and parts of other headers.
INTERNAL = {"Where", "Pipes", "Buffers", "Bursts", "Lanes", "Side", "Pending", "Same", "Value", "Taken", "Step", "Conversion",
            "NearestConversion", "MemoryInTurn", "PowerOf", "PowerBy", "State", "InFloat", "RowsBefore", "Ranked", "IsTuple",
            "IsTiling", "IsLocalTensor", "LaneMask", "MatmulOperand", "Takes", "Operator", "TilingKeys",
            "TilingKey", "Argument", "Templates", "Rows"}
# What kernels elsewhere use and is not there: names and headers, how the page says them, and forms of what is there.
ABSENT = ("ASSERT_MSG", "KERNEL_LOG", "block_idx", "DisableDmaAtomic", "Clamp")
ABSENT_SHOWN = {}
ABSENT_FORMS = ("`Gelu`'s third template argument, `LayerNorm` with configurations, `SoftMax` of fractals, `Matmul` with "
                "functions of the program that copy, by batches, or with `enPartialSum`")
# Why names of ascendc_used.txt are not there.
REASONS = {
    "the register level or SIMT of Ascend950, or its parameters": """
        MicroAPI RegTensor MaskReg LoadDist CreateMask UpdateMask StoreDist __simd_vf__ LoadAlign StoreAlign StoreUnAlign
        FixpipeParamsC310 VECTOR_REG_WIDTH LoadData2DParamsV2 UnalignRegForStore StoreUnAlignPost __simd_callee__ DeInterleave
        fp8_e8m0_t UnalignReg Interleave LocalMemBar VF_CALL GetVecLen DataCopyUnAlign DataCopyUnAlignPost ResetLoopModePara
        LoopModeParams SetLoopModePara Squeeze ReduceMaxWithDataBlock PaddingMode SpecialPurposeReg Simt GetSpr MaskNot
        DataCopyGather FixpipeParamsArch3510 DataCopyUnAlignPre LoadData2DMxParams Dn2NzParams Pack UnPack LoadUnAlignPre
        LoadUnAlign Mula DataCopyScatter UnalignRegForLoad MaskDeInterleave McgShfMode asc_vf_call""",
    "communication within kernels": """
        HCCL_MAX_RANK_NUM IbVerbsData GetHcclContext HCCL_GROUP_ID_0 Hccl HcclHandle HcclDataType HcclContextDef Barrier
        SetAtomicOpType""",
    "made for operator projects": "DTYPE_X Conditional Impl GetTilingData",
    "what it does is not known": "Nop",
}


def absent_sentence():
    """The names that are not there, of which none may be."""
    headers = "".join(path.read_text() for path in (ROOT / "include/ascendc").glob("*.h"))
    for name in ABSENT:
        if (ROOT / "include" / name).exists() or re.search(rf"\b{re.escape(name)}\b", headers):
            sys.exit(f"scripts/ascendc_names.py: {name} is there, and ABSENT says that it is not")
    names = ", ".join(ABSENT_SHOWN.get(name, f"`{name}`") for name in ABSENT)
    return textwrap.fill(f"Not there either: {names}; {ABSENT_FORMS}.", 100, break_long_words=False) + "\n\n"


def words_of(text):
    return set(re.findall(r"\w+", text))


def words_used(text):
    """Those of the code of a test: what comments and sentences name is not used."""
    return words_of(re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S))


def used_table(tests, headers):
    """The names that public kernels use, with where each is or why it is not, and a sentence that counts them."""
    reasons = {name: reason for reason, names in REASONS.items() for name in names.split()}
    rows, counts, untested = [], dict.fromkeys(REASONS, 0), []
    for line in (ROOT / "scripts/ascendc_used.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, kernels, permissive = line.split()
        word = name.removeprefix("Whole") if name.startswith("WholeReduceM") else name
        where = [header for header, words in headers.items() if word in words]
        users = [path.stem for path, words in tests.items() if name in words]
        if (name in reasons) == bool(where):
            sys.exit(f"scripts/ascendc_names.py: {name} is {'there' if where else 'not there'}, which REASONS does not say")
        if where and not users:
            untested.append(name)
        if not where:
            counts[reasons[name]] += 1
        what = f"`{where[0]}`" if where else reasons[name]
        rows.append(f"| `{name}` | {kernels} | {permissive} | {what} | {users[0] if users else ''} |\n")
    missing = sum(counts.values())
    others = "; ".join(f"{reason}: {count}" for reason, count in counts.items())
    sentence = textwrap.fill(
        f"Of the {len(rows)} names that 188 kernels of public repositories use, {len(rows) - missing} are there, each with a "
        f"test. The {missing} others: {others}. How many of the 188 use a name, of the 103 under permissive licences, and the "
        "first header and the first test that have it:", 100, break_long_words=False)
    return sentence + "\n\n| name | of 188 | of 103 | header, or why not | test |\n|---|---|---|---|---|\n" + "".join(rows), untested


def names_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = set(re.findall(r"^#define ([A-Z]\w+)", text, re.M))
    found |= set(re.findall(r"^(?:template <[^;{]*?>\s*)?(?:struct|enum class|enum) (\w+)", text, re.M))
    found |= set(re.findall(r"^(?:template <[^;{]*?>\s*)?(?:inline |constexpr )*[\w:<>*& ]+?\b([A-Z]\w+)\(", text, re.M))
    found |= set(re.findall(r"^BELAY_(?:OF|FUNCTION|REDUCTION)\w*\((\w+)", text, re.M))
    found |= set(re.findall(r"^using ([A-Z]\w+) =", text, re.M))
    for name in re.findall(r"^BELAY_EXTREMES\((\w+)", text, re.M):
        found |= {"WholeReduce" + name, "Reduce" + name}
    return {name for name in found if name[0].isupper() and not name.startswith(("BELAY_", "ASCENDC_", "CHIP_"))} - INTERNAL


def main():
    tests = {path: path.read_text() for path in sorted((ROOT / "tests/kernel").glob("ascendc_*.cpp"))}
    tests |= {path: path.read_text() for path in sorted((ROOT / "tests/kernel").glob("ascendc_*.h"))}
    tests = {path: words_used(text) for path, text in tests.items()}
    rows, untested = [], []
    for header in sorted((ROOT / "include/ascendc").glob("*.h")):
        if header.name in ("host.h", "chip.h", "launch.h", "maths.h", "qualifiers.h", "formula.h", "half.h", "dtypes.h"):
            continue
        for name in sorted(names_of(header.read_text())):
            users = [path.stem for path, words in tests.items() if name in words]
            rows.append(f"| `{name}` | `ascendc/{header.name}` | {', '.join(users) or 'no test'} |\n")
            if not users:
                untested.append(name)
    headers = {}
    for path in [*sorted((ROOT / "include/ascendc").glob("*.h")), ROOT / "include/kernel_tiling/kernel_tiling.h"]:
        headers[str(path.relative_to(ROOT / "include"))] = words_of(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S))
    used, used_untested = used_table(tests, headers)
    untested += [name for name in used_untested if name not in untested]
    table = absent_sentence() + "| name | header | tests |\n|---|---|---|\n" + "".join(rows) + "\n" + used
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    written = before + BEGIN + table + END + after
    if "--check" not in sys.argv:
        PAGE.write_text(written)
    elif written != page:
        sys.exit("docs/ascendc-names.md: the table is not what scripts/ascendc_names.py writes")
    print(f"{len(rows)} names, {len(rows) - len(untested)} with a test; without: {', '.join(untested)}")


main()
