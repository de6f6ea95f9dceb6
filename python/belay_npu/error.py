# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What the library complains of, as an exception."""
import acl


class Error(RuntimeError):
    """A call that the library refused: its sentence is the text, status the code."""

    # Both are args, by which pickle and copy make the error again: errors travel between processes.
    def __init__(self, status, sentence):
        super().__init__(status, sentence)
        self.status = status

    def __str__(self):
        return self.args[1]


def last_error(status):
    """The Error of the call of this thread that has just failed."""
    message = acl.get_recent_err_msg()
    # The newest message stands first; process, time and title end with the code in parentheses.
    sentence = message.partition("\n")[0].partition("): ")[2]
    return Error(status, sentence or f"status {status}; the library gives no message")


def check(status):
    if status != 0:
        raise last_error(status)
