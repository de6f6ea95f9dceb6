# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What suites of others found: puts a run into docs/conformance.json, and writes docs/conformance.md from it.

    conformance.py write [--check]                       the page
    conformance.py order                                 lines "SUITE PRODUCT" of standard input: first those that the page
                                                         lacks, then those that were cut, then the oldest
    conformance.py enter SUITE PRODUCT VERSIONS COMMIT SECONDS FILE...
                                                         a run: lines of {"case", "outcome", "detail"} (beside.py), a record
                                                         of tests/clients/torch_opinfo/run.py, or the output of llama.cpp's
                                                         test or of a client script. VERSIONS "torch 2.14.0, ..."

scripts/conformance.sh runs the suites. The newest run of a suite on a product takes the place of the one before. A case that
did not pass needs a reason: those of reasons.txt beside tests/clients/conformance and in tests/clients/torch_opinfo.
"""
import collections
import datetime
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA, PAGE = os.path.join(ROOT, "docs/conformance.json"), os.path.join(ROOT, "docs/conformance.md")
REASONS = os.path.join(ROOT, "tests/clients/conformance/reasons.txt")
# id: (name, what a case is)
SUITES = {
    "torch-operators": ("PyTorch's operator database", "a sample of an operator and a dtype, with gradients in FLOAT, beside the CPU"),
    "torch-modules": ("PyTorch's module database", "a sample of a module and a dtype, with gradients in FLOAT, beside the CPU"),
    "torch-optimizers": ("PyTorch's optimizer database", "five steps of an optimizer with one set of options, beside the CPU"),
    "torch-functions": ("PyTorch's databases of functions", "a sample of torch.autograd.Function or torch.library and a dtype, beside the CPU"),
    "torch-errors": ("PyTorch's calls with errors", "a call that the operators' tests want refused"),
    "transformers": ("transformers' models", "an architecture with random weights: logits and all gradients, beside the CPU"),
    "timm": ("timm's models", "a small model of a family: outputs and all gradients, beside the CPU"),
    "peft": ("peft's methods", "gradients, three steps, and merged weights of a method, beside the CPU"),
    "diffusers": ("diffusers' schedulers and models", "five steps of a scheduler, or a model and its gradients, beside the CPU"),
    "accelerate": ("accelerate's test scripts", "a script of accelerate.test_utils, by one or two processes"),
    "deepspeed": ("DeepSpeed's ZeRO", "stages 0 to 3 in three dtypes by one or two processes, beside AdamW on the CPU"),
    "ggml-operators": ("ggml's test-backend-ops", "a case of ggml's own test, by its CANN back end beside its CPU"),
    "mindspore": ("MindSpore's CPU", "a row of scripts/clients.sh mindspore: programs beside MindSpore's CPU device"),
    "vllm": ("vLLM", "a row of scripts/clients.sh vllm: a model, a way of serving, or a server, beside transformers"),
    "triton": ("Triton", "a row of scripts/clients.sh triton: a program of kernels beside PyTorch, with one setting of threads or level"),
    "kernels": ("AscendC kernels", "a row of scripts/clients.sh kernels: vllm-ascend's own kernels, or its macros, beside PyTorch"),
}
OPINFO = {"function": "torch-functions", "error": "torch-errors", "operator": "torch-operators", "module": "torch-modules", "optimizer": "torch-optimizers"}
BEGIN, END = "<!-- runs begin -->\n", "<!-- runs end -->\n"


def reasons():
    """(suite, case, detail, why) of each line: three regular expressions and words."""
    with open(REASONS, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split(" | ", 3)) for line in lines]


def grouped(suite, failures):
    """Failures of the same outcome and reason in one, with their cases."""
    groups, known = collections.defaultdict(list), reasons()
    for case, outcome, detail in failures:
        why = next((why for whose, name, said, why in known if re.fullmatch(whose, suite) and re.fullmatch(name, case)
                    and re.search(said, f"{outcome}: {detail}")), "")
        groups[outcome, why].append(case)
    return [{"outcome": outcome, "reason": why, "count": len(cases), "cases": sorted(cases)}
            for (outcome, why), cases in sorted(groups.items())]


def read_lines(suite, text):
    """Of beside.py, or of a client script: "passed NAME ..." and "FAILED NAME ..."."""
    cases, failures, left_out, is_cut = 0, [], 0, False
    for line in text.splitlines():
        if line.startswith("{"):
            entry = json.loads(line)
            if entry["outcome"] == "cut":  # it did not end by itself, or ended too early
                is_cut = True
                continue
            left_out += entry["outcome"] == "cpu"
            cases += entry["outcome"] == "right"
            if entry["outcome"] not in ("right", "cpu"):
                failures.append((entry["case"], entry["outcome"], entry["detail"]))
        elif re.match(r"passed  \S", line):
            cases += 1
        elif found := re.match(r"FAILED  (\S.*?)(?: +\d+ s\b.*)?$", line):
            failures.append((found.group(1), "failed", line))
    return {"passed": cases, "left_out": left_out, "failures": grouped(suite, failures), "is_cut": is_cut}


def read_ggml(text):
    found = re.search(r"(\d+) cases as the CPU has them, (\d+) others, (\d+) processes that failed; (\d+) left out", text)
    if found is None:
        return {"passed": 0, "left_out": 0, "failures": [], "is_cut": True}
    good, bad, ended, left_out = map(int, found.groups())
    failures = [(line.strip(), "failed", line) for line in text.splitlines() if re.match(r"        [A-Z]", line)]
    failures += [("?", "failed", "")] * max(0, bad + ended - len(failures))
    return {"passed": good, "left_out": left_out, "failures": grouped("ggml-operators", failures)}


def runs_of(suite, paths):
    """(suite, what was counted) of each suite that the files are of."""
    text = "".join(open(path, encoding="utf-8").read() for path in paths)
    if suite == "torch":
        for kind, record in json.loads(text).items():
            yield OPINFO[kind], {"passed": record["passed"], "left_out": record["refused_by_cpu"], "failures": record["failures"],
                                 "not_begun": record["not_begun"]}
    elif suite == "ggml-operators":
        yield suite, read_ggml(text)
    else:
        yield suite, read_lines(suite, text)


def enter(suite, product, versions, commit, seconds, *paths):
    with open(DATA, encoding="utf-8") as file:
        data = json.load(file)
    for found, counted in runs_of(suite, paths):
        failed = sum(group["count"] for group in counted["failures"])
        run = {"suite": found, "name": SUITES[found][0], "case": SUITES[found][1], "versions": versions, "product": product,
               "commit": commit, "date": datetime.date.today().isoformat(), "seconds": int(seconds),
               "cases": counted["passed"] + failed, "passed": counted["passed"], "failed": failed,
               "without_reason": sum(group["count"] for group in counted["failures"] if not group["reason"]),
               "left_out": counted["left_out"], "not_begun": counted.get("not_begun", 0), "is_cut": counted.get("is_cut", False),
               "failures": counted["failures"]}
        known = max((other["cases"] for other in data["runs"] if (other["suite"], other["product"]) == (found, product)), default=0)
        if run["cases"] == 0 or ((run["is_cut"] or run["not_begun"]) and run["cases"] < known):
            print(f"{found}, {product}: cut after {run['cases']} cases; what the run before found stays")
            continue
        data["runs"] = [other for other in data["runs"] if (other["suite"], other["product"]) != (found, product)] + [run]
    order = list(SUITES)
    data["runs"].sort(key=lambda run: (order.index(run["suite"]), run["product"]))
    with open(DATA, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


def order(lines, runs):
    """The lines "SUITE PRODUCT" in the order to run them in; those of the same day stay as they are."""
    newest = {f"{run['suite']} {run['product']}": run for run in runs}

    def age(line):
        run = newest.get(line)
        return (0, "") if run is None else (1, "") if run["is_cut"] or run["not_begun"] else (2, run["date"])
    return sorted(lines, key=age)


def duration(seconds):
    return f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def cell(text):
    return text.replace("|", "/")


def page(runs):
    """The part of the page that is written."""
    text = ["| suite | product | cases | passed | with a reason | without | of | commit, date, time |", "|---|---|---|---|---|---|---|---|"]
    for run in runs:
        text.append(f"| {run['name']} | {run['product']} | {run['cases']:,} | {run['passed']:,} | "
                    f"{run['failed'] - run['without_reason']:,} | {run['without_reason']} | {run['versions']} | {run['commit']}, {run['date']}, "
                    f"{duration(run['seconds'])}{', cut' if run['is_cut'] or run['not_begun'] else ''} |")
    suites = {run["suite"] for run in runs}
    # PyTorch's databases are one run of several rows.
    times = {(run["versions"], run["product"], run["commit"], run["seconds"]): run["seconds"] for run in runs}
    text += ["", f"{len(suites)} suites, {sum(run['cases'] for run in runs):,} cases, {sum(run['without_reason'] for run in runs)} failures "
                 f"without a reason. `scripts/conformance.sh --only SUITE --product PRODUCT ROOT` "
                 f"repeats a row, SUITE being its name in conformance.json; the times of all add up to "
                 f"{sum(times.values()) / 3600:.1f} hours.", ""]
    for run in runs:
        text += [f"### {run['name']}, {run['product']}", "", f"A case is {run['case']}."]
        if run["left_out"]:
            text[-1] += f" {run['left_out']:,} more are none: the CPU itself refuses them, or no library can pass them."
        if run["not_begun"]:
            text[-1] += f" The time was over before {run['not_begun']:,} jobs had begun."
        if run.get("is_cut"):
            text[-1] += " It ended before all of it had run."
        if run["failures"]:
            text += ["", "| count | outcome | reason | cases |", "|---|---|---|---|"]
            for group in sorted(run["failures"], key=lambda group: -group["count"]):
                cases = group["cases"][:3]
                more = f", and {len(group['cases']) - 3} more" if len(group["cases"]) > 3 else ""
                text.append(f"| {group['count']:,} | {group['outcome']} | {cell(group['reason']) or '**none**'} | "
                            f"{cell(', '.join(cases))}{more} |")
        text.append("")
    return "\n".join(text[:-1]) + "\n"


def write(check):
    with open(DATA, encoding="utf-8") as file:
        runs = json.load(file)["runs"]
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    before, rest = old.split(BEGIN)
    new = before + BEGIN + page(runs) + END + rest.split(END)[1]
    if not check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != old:
        sys.exit("conformance.py: docs/conformance.md is not what docs/conformance.json says; conformance.py write writes it")


def main():
    if sys.argv[1:2] == ["enter"] and len(sys.argv) > 7:
        enter(*sys.argv[2:])
        write(False)
    elif sys.argv[1:] == ["order"]:
        with open(DATA, encoding="utf-8") as file:
            print("\n".join(order(sys.stdin.read().splitlines(), json.load(file)["runs"])))
    elif sys.argv[1:] in (["write"], ["write", "--check"]):
        write("--check" in sys.argv)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
