# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Where scripts/mutants.py may plant a fault, and which: small changes of the sources that are no kernels."""
import hashlib
import re

FOLDERS = ["runtime", "tensor", "ops", "tools", "check"]

# Numbers that only say how long something is taken to last: what is divided among threads, and into which parts, hangs
# on them, and no result does. Another number is no fault.
TUNING = re.compile(r"\.cost_\w*ps = (\{[^}]*\}|\d+)|\b[A-Z_]+_[PN]S(?:_MIN|_MAX)? = (\d+)|\blevel_cost\[\w+\] = (\{[^}]*\})")

COMPARISONS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}


def blank(text):
    """The text with comments, strings, characters and preprocessor lines as spaces, so that offsets stay."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*",
                         re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def kernel_part(path, text):
    """Up to where the kernels of an operator's file end and its contract begins."""
    if not re.search(r"^#if\w* .*KERNEL_PASS", text, re.MULTILINE):
        return 0
    return text.index("\n#else") if "\n#else" in text else len(text)


def closing(code, at):
    """The offset of the parenthesis that closes the one at this offset."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    return -1


def sites(path, text):
    """(offset, length, what stands there instead, in words) for each change that a file offers."""
    code, start = blank(text), kernel_part(path, text)
    found = []
    for match in re.finditer(r" (==|!=|<=|>=|<|>|&&|\|\|)(?=[ \n])", code):
        other = COMPARISONS[match.group(1)]
        found.append((match.start(1), len(match.group(1)), other, f"{match.group(1)} becomes {other}"))
    for match in re.finditer(r"(?<=[\w)\]]) ([+-]) (?=[\w(])", code):
        other = "-" if match.group(1) == "+" else "+"
        found.append((match.start(1), 1, other, f"{match.group(1)} becomes {other}"))
    for match in re.finditer(r"\bif (\()", code):
        end = closing(code, match.start(1))
        if end > 0:
            found.append((match.start(1), end + 1 - match.start(1), f"(!{text[match.start(1):end + 1]})",
                          "the condition is negated"))
    for match in re.finditer(r"(?<![\w.])(\d+)(u?)(?![\w.])", code):
        number = int(match.group(1), 8 if re.match(r"0\d", match.group(1)) else 10)
        for other in (number + 1, number - 1) if number > 0 else (1,):
            found.append((match.start(), len(match.group()), f"{other}{match.group(2)}",
                          f"{match.group()} becomes {other}{match.group(2)}"))
    for match in re.finditer(r"\b(true|false)\b", code):
        other = "false" if match.group() == "true" else "true"
        found.append((match.start(), len(match.group()), other, f"{match.group()} becomes {other}"))
    for match in re.finditer(r"^[ ]+([A-Za-z_]\w*)(\()", code, re.MULTILINE):
        end = closing(code, match.start(2))
        is_call = match.group(1) not in ("if", "while", "for", "switch", "return", "sizeof", "va_start", "va_end")
        if end > 0 and is_call and code[end + 1:end + 2] == ";":
            dropped = "\n" * text[match.start(1):end + 1].count("\n")
            found.append((match.start(1), end + 1 - match.start(1), dropped, f"{match.group(1)}() is dropped"))
    for match in re.finditer(r"\breturn ([^;{}]*(?:==|!=|[<>]=? |&&|\|\||^!)[^;{}]*);", code):
        if "?" not in match.group(1):
            value = text[match.start(1):match.end(1)]
            found.append((match.start(1), len(value), f"!({value})", "what is returned is negated"))
    return [site for site in found if site[0] >= start and not is_tuning(code, site)]


def is_tuning(code, site):
    begin = code.rfind("\n", 0, site[0]) + 1
    line = code[begin:code.find("\n", site[0])]
    return any(match.start(number) <= site[0] - begin < match.end(number)
               for match in TUNING.finditer(line) for number in range(1, TUNING.groups + 1))


def line_of(text, site):
    begin = text.rfind("\n", 0, site[0]) + 1
    return text[begin:text.find("\n", site[0])].strip()


def key_of(text, path, site):
    """A name that stays while the file changes elsewhere: the line, which of its like, and the change."""
    begin = text.rfind("\n", 0, site[0]) + 1
    line = line_of(text, site)
    return f"{path}|{line}|{text[:begin].count(line)}|{site[0] - begin}|{site[3]}"


def draw(tree, seed, only=""):
    """All mutants of a tree: (key, path, site), drawn so that the others stay what they are when a file changes."""
    every = []
    for folder in FOLDERS:
        for file in sorted((tree / "src" / folder).rglob("*.c")):
            path = str(file.relative_to(tree))
            if only in path:
                text = file.read_text()
                every += [(key_of(text, path, site), path, site) for site in sites(path, text)]
    every.sort(key=lambda mutant: hashlib.sha256(f"{seed}|{mutant[0]}".encode()).digest())
    return every
