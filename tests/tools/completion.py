# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""completion.py SHELL BELAY SHARE: what the tabulator key makes of lines, in a shell that somebody types into.

The shell finds the file as it does where Belay is installed: bash in share/bash-completion, and by the file alone; zsh in
share/zsh/site-functions.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import sys
import tempfile
import time

shell, belay, share = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
if not shutil.which(shell):
    print(f"skipped: there is no {shell}")
    sys.exit(77)

# What is typed before the key, and the line that stands there afterwards.
LINES = [
    ("belay ch", "belay check "),
    ("belay tr", "belay trace "),
    ("belay --ver", "belay --version "),
    ("belay check --on", "belay check --only "),
    ("belay check --only=le", "belay check --only=leak "),
    ("belay check --only le", "belay check --only leak "),
    ("belay check --only leak,sy", "belay check --only leak,sync "),
    ("belay check --json=a_f", "belay check --json=a_file "),
    ("belay trace -o a_f", "belay trace -o a_file "),
    ("belay trace --output out.json ./prog", "belay trace --output out.json ./program "),
    ("belay run ./prog", "belay run ./program "),
    ("belay run -p printe", "belay run -p printenv "),
    ("belay check --json=x ./program a_f", "belay check --json=x ./program a_file "),
    ("belay ops silu_b", "belay ops silu_backward "),
    ("belay ops aclnnSiluB", "belay ops aclnnSiluBackward "),
    ("belay ops --na", "belay ops --names "),
    ("belay eval hardswish_backward_", "belay eval hardswish_backward_v2 "),
    ("belay eval silu_backward --gr", "belay eval silu_backward --grad"),
    ("belay eval silu_backward --gradO", "belay eval silu_backward --gradOutput "),
    ("belay eval silu_backward --gradOutput a_f", "belay eval silu_backward --gradOutput a_file "),
    ("belay eval aclnnCast --dtype BF", "belay eval aclnnCast --dtype BFLOAT16 "),
    ("belay eval leaky_relu_backward --selfIsResult tr", "belay eval leaky_relu_backward --selfIsResult true "),
    ("belay eval smooth_l1_loss_backward --reduction me", "belay eval smooth_l1_loss_backward --reduction mean "),
    ("belay eval hardswish --ou", "belay eval hardswish --out "),
    ("belay help tr", "belay help trace "),
    ("belay nothing x", "belay nothing x"),
]


# Ctrl-T prints the line and clears it.
SHOW = {
    "bash": ["show() { printf '<%s>\\n' \"$READLINE_LINE\"; READLINE_LINE=; READLINE_POINT=0; }",
             "bind -x '\"\\C-t\": show'", "bind 'set bell-style none'", "bind 'set enable-bracketed-paste off'"],
    "zsh": ["show() { print -r \"<$BUFFER>\"; BUFFER= }; zle -N show; bindkey -e; bindkey '^T' show",
            f"fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D"],
}

# What is sourced: nothing, or bash-completion, which finds the file by the command's name, or the file alone.
LOADER = "/usr/share/bash-completion/bash_completion"
FILES = {"bash": [file for file in (LOADER, str(share / "bash-completion/completions/belay")) if os.path.exists(file)],
         "zsh": [None]}


class Shell:
    def __init__(self, folder, file):
        environment = {"PATH": f"{belay.parent}:/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LC_ALL": "C",
                       "XDG_DATA_DIRS": f"{share}:/usr/share"}
        words = ["zsh", "-f", "-i"] if shell == "zsh" else ["bash", "--norc", "--noprofile", "-i"]
        process, self.terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        # Lines longer than the terminal is wide are redrawn in parts.
        lines = ["stty cols 500; PS1="] + SHOW[shell]
        for line in lines + ([f"source {file}"] if file else []):
            os.write(self.terminal, line.encode() + b"\n")
        # What is typed before the shell has read all that comes back as it was typed.
        os.write(self.terminal, b"echo re''ady\n")
        self.read("ready(?!.*ready)")

    def read(self, pattern):
        found, stop = "", time.monotonic() + 60
        while time.monotonic() < stop:
            if select.select([self.terminal], [], [], 0.5)[0]:
                found += os.read(self.terminal, 65536).decode(errors="replace")
            if match := re.search(pattern, found, re.DOTALL):
                return match
        sys.exit(f"{shell} does not answer as {pattern}: {found!r}")

    def complete(self, line):
        os.write(self.terminal, line.encode() + b"\t\x14")
        return self.read("<(belay[^>]*)>").group(1)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a_file", "program"):
            pathlib.Path(folder, name).touch(mode=0o755)
        for file in FILES[shell]:
            typed = Shell(folder, file)
            for line, expected in LINES:
                found = typed.complete(line)
                if found != expected:
                    print(f"{line!r} becomes {found!r}, not {expected!r} ({file or 'by itself'})")
                    wrong += 1
    print(f"{len(LINES)} lines in {shell}, {len(FILES[shell])} ways, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
