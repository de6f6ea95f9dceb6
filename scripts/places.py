# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes src/tools/places.inc, from which `belay ops --where` knows where the kernels and the tests of each function
are. scripts/operator_tables.sh runs it, and the test api/places holds the table against the tree.

    places.py [--check] [--compiler cc]

The kernels are what the function's description leads to, in what the preprocessor makes of its file and of those of the
same folder or of src/ops/loops, as far as tables of what is compiled for each instruction-set level. Where there are
none it is the functions that do the work of phase 2. The tests are the files of tests/ops, tests/numerics and
tests/fuzz that have its name as a word, or include a table that has it.
"""
import argparse
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "src/tools/places.inc"
# What shares out the work of others, and does none of a function's own.
SHARES = "src/ops/loops/tasks.c"
WORD = re.compile(r"[A-Za-z_]\w*")
# A file that speaks of more functions than this is a list of what there is, and no test of one of them.
LISTED_MAX = 120
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the kernels and the tests of each function are; scripts/places.py writes it.
 */
/* clang-format off */
"""


def files_below(folder, pattern):
    found = []
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        found += [os.path.relpath(os.path.join(path, name), ROOT) for name in names if re.search(pattern, name)]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


@functools.lru_cache(None)
def split(text, statement="", depth=0):
    """The top-level statements of a text, and what of one more has begun, with its depth; most texts are headers' that
    every source includes, and are split once."""
    found = []
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    for part in re.split(r"([;{}()])", text):
        statement += part
        depth += part in ("{", "(")
        depth -= part in ("}", ")")
        # A declaration ends with a semicolon, a function with its body.
        if depth == 0 and (part == ";" or part == "}" and re.match(r"[^={]*\)\s*\{", statement)):
            found.append(statement)
            statement = ""
    return found, statement if statement.strip() else "", depth


def empty_headers(folder):
    """Fills the folder with an empty file for each header that is not the tree's. What they hold is no function's, and to
    read them, the intrinsics' above all, would take three quarters of the time."""
    for path in files_below("src", r"\.[ch]$") + files_below("include", r"\.h$"):
        for name in re.findall(r"^ *# *include <([\w./]+)>", read(path), re.MULTILINE):
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            open(os.path.join(folder, name), "w", encoding="utf-8").close()


def preprocessed(compiler, headers, path):
    """(file, text) of each top-level statement below src that a source of a contract is made of, macros expanded."""
    command = [compiler, "-E", "-nostdinc", "-std=gnu11", "-D_GNU_SOURCE", "-Isrc", "-Iinclude", "-isystem", headers, path]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found, statement, depth = [], "", 0
    # What comes before the first mark is nothing; then a file and what is of it, by turns.
    marked = re.split(r'^# \d+ "(.*?)".*\n', output, flags=re.MULTILINE)
    for file, text in zip(marked[1::2], marked[2::2]):
        if file.startswith("src/") or file.startswith("./src/"):
            statements, statement, depth = split(text, statement, depth)
            found += [(os.path.normpath(file), whole) for whole in statements]
    return found


@functools.lru_cache(None)
def head_of(statement):
    """The name that a statement defines; None where it only declares one, or a type."""
    if "=" not in statement and "{" not in statement or re.match(r"\s*typedef\b", statement):
        return None
    if "=" not in statement and re.match(r"\s*(struct|union|enum)\s*\w*\s*\{", statement):
        return None
    before = re.sub(r"__attribute__\s*\(\([^;={]*?\)\)\)?", " ", statement)
    before = re.split(r"[={]", before)[0].strip()
    name = re.search(r"(\w+)\s*\(", before) or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", before)
    return name[1] if name else None


@functools.lru_cache(None)
def words_of(statement):
    return frozenset(WORD.findall(statement))


def kernel_definitions():
    """{name: file} of what is compiled for each level: KERNELS(name), ROWS_KERNELS(name, ...), AT_LEVEL(name), ...
    or the line of a table that a file's own macro makes kernels of."""
    found, less_sure = {}, {}
    for path in files_below("src/ops", r"\.[ch]$"):
        text = read(path)
        if path.endswith("pointwise/unary.h"):
            pattern = r"^UNARY\(\w+, (\w+)"
        elif re.search(r"^#ifdef KERNEL_PASS", text, re.MULTILINE):
            pattern = r"^[ ]*(?:[A-Z_0-9]*KERNELS[A-Z_0-9]*\(|(?:\w+ )*AT_LEVEL\()\s*(\w+)"
        else:
            continue
        for match in re.finditer(pattern, text, re.MULTILINE):
            found.setdefault(match[1], path)
        for match in re.finditer(r"^(?!\w*LEVELS|FORMULA\(|POINTWISE\()[A-Z][A-Z_0-9]*\((\w+)[,)]", text, re.MULTILINE):
            less_sure.setdefault(match[1], path)
    return less_sure | found


def kernels_of(compiler):
    """{function: (its source, the kernels that its description leads to, the functions that run)}."""
    sources = [path for path in files_below("src/ops", r"\.c$") if os.path.dirname(path) != "src/ops"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as headers:
        empty_headers(headers)
        statements = dict(zip(sources, pool.map(lambda path: preprocessed(compiler, headers, path), sources)))
    mentions, kernel_at, shared, functions = {}, {}, {}, {}
    for source, parts in statements.items():
        for _, statement in parts:
            head = head_of(statement)
            if head is None:
                continue
            mentions.setdefault((source, head), set()).update(words_of(statement))
            if not re.search(r"\bstatic\b", statement):
                shared[os.path.dirname(source), head] = source
            kernel = re.search(r"\[ISA_BASELINE\] = &(\w+)_baseline\b", statement)
            if kernel:
                kernel_at[source, head] = kernel[1]
            if re.fullmatch(r"aclnn\w+_function", head):
                functions[head[:-len("_function")]] = source

    def shared_by(folder, word):
        return shared.get((folder, word)) or shared.get(("src/ops/loops", word))

    @functools.lru_cache(None)  # functions share most of the way
    def led_to(place):
        source, folder = place[0], os.path.dirname(place[0])
        owners = {word: source if (source, word) in mentions else shared_by(folder, word) for word in mentions[place]}
        return [(owner, word) for word, owner in owners.items() if owner]

    result = {}
    for function, source in functions.items():
        seen, rest = set(), [(source, function + "_function")]
        while rest:
            place = rest.pop()
            if place in seen:
                continue
            seen.add(place)
            rest += led_to(place)
        kernels = {kernel_at[place] for place in seen if place in kernel_at}
        loops = {(head, owner) for owner, head in seen if head.endswith("_run") and owner != SHARES and
                 shared_by(os.path.dirname(owner), head)}
        result[function] = source, kernels, loops
    return result


def kernel_texts(compiler):
    """{function: ["name file", ...]}."""
    definitions, result = kernel_definitions(), {}
    for function, (source, kernels, loops) in kernels_of(compiler).items():
        found = set()
        for kernel in kernels:
            stem = re.sub(r"_(kernels|row|row_fp32|reduce|scan)$", "", kernel)
            name = kernel if kernel in definitions else stem
            if name not in definitions:
                raise SystemExit(f"places.py: {function} has {kernel}, which no line of src/ops defines")
            found.add((name, definitions[name]))
        result[function] = sorted(found or loops or {("", source)})
    return result


def test_files(functions):
    """{function: [file, ...]}."""
    known, words = set(functions), {}
    for path in [path for folder in ("tests/ops", "tests/numerics", "tests/fuzz", "src/ops")
                 for path in files_below(folder, r"\.[ch]$" if folder != "src/ops" else r"\.h$")]:
        words[path] = known & set(WORD.findall(read(path)))
    result = {function: [] for function in functions}
    for path in sorted(words):
        if not path.startswith("tests/") or len(words[path]) > LISTED_MAX:
            continue
        tables = {f"src/{name}" for name in re.findall(r'#include "(ops/[^"]+)"', read(path))}
        for function in words[path].union(*(words.get(table, set()) for table in tables)):
            result[function].append(path)
    return result


def table(compiler):
    kernels = kernel_texts(compiler)
    tests = test_files(kernels)
    lines = [HEAD]
    for function in sorted(kernels):
        where = " ".join(f"{name}:{path}" for name, path in kernels[function])
        lines.append(f'{{"{function}", "{where}", "{" ".join(tests[function])}"}},\n')
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="fail where the table is not what would be written")
    parser.add_argument("--compiler", default="cc", help="whose preprocessor")
    arguments = parser.parse_args()
    text = table(arguments.compiler)
    if not arguments.check:
        with open(os.path.join(ROOT, TABLE), "w", encoding="utf-8") as file:
            file.write(text)
        return
    # A test that has come to name a function makes no row wrong; it is added when the table is written next.
    row = re.compile(r'^\{"(\w+)", "(.*?)", "(.*?)"\},$', re.MULTILINE)
    found = {match[1]: match for match in row.finditer(text)}
    kept = {match[1]: match for match in row.finditer(read(TABLE))}
    wrong = [function for function in sorted(found.keys() | kept.keys())
             if function not in found or function not in kept or found[function][2] != kept[function][2]
             or not set(kept[function][3].split()) <= set(found[function][3].split())]
    if wrong:
        sys.exit(f"places.py: {TABLE} has other places of {' '.join(wrong[:8])} than the tree; scripts/places.py writes it")


if __name__ == "__main__":
    main()
