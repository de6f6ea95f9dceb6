# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What scripts/recorded_digests.py writes on machines with fewer levels of instructions than others: recorded_digests.py TREE."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()) / "scripts"))
from recorded_digests import with_levels_of_others


class Rows(unittest.TestCase):
    def test_all_levels_say_all(self):
        self.assertEqual(with_levels_of_others(["a", "a", "a"], ["x", "y", "z"]), ["a"])
        self.assertEqual(with_levels_of_others(["a", "b", "b"], []), ["a", "b"])
        self.assertEqual(with_levels_of_others(["a", "a", "b"], ["a"]), ["a", "a", "b"])

    def test_a_digest_of_an_absent_level_stays(self):
        self.assertEqual(with_levels_of_others(["a", "b"], ["a", "b", "c"]), ["a", "b", "c"])
        self.assertEqual(with_levels_of_others(["a"], ["a", "b"]), ["a", "b"])
        self.assertEqual(with_levels_of_others(["n"], ["a", "b", "c"]), ["n", "b", "c"])

    def test_an_absent_level_that_was_as_the_others_is_as_they_are(self):
        self.assertEqual(with_levels_of_others(["n", "n"], ["a"]), ["n"])
        self.assertEqual(with_levels_of_others(["n"], []), ["n"])
        self.assertEqual(with_levels_of_others(["n", "m"], ["a", "b"]), ["n", "m"])


unittest.main()
