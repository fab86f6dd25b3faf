#!/usr/bin/env python3
"""That the instrument times from the opening to the arrival, and nothing else."""

import os
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, "transfer/benchmark")
import watcher  # noqa: E402


class WatcherTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = os.path.join(folder.name, "from", "file")
        self.arrived = os.path.join(folder.name, "to", "file")
        for path in (self.source, self.arrived):
            os.mkdir(os.path.dirname(path))
        with open(self.source, "w") as file:
            file.write("x")

    def test_the_clock_runs_from_the_opening_to_the_rename(self):
        started = time.monotonic()
        with watcher.Watcher(self.source, self.arrived) as watch:
            time.sleep(0.3)         # of the command that has not begun to read
            with open(self.source) as file, open(self.arrived + ".partial",
                                                 "w") as partial:
                partial.write(file.read())
            time.sleep(0.05)
            os.rename(self.arrived + ".partial", self.arrived)
            time.sleep(0.3)         # of the command that is about to end
            seconds = watch.seconds()
        self.assertGreaterEqual(seconds, 0.05)
        self.assertLess(seconds, time.monotonic() - started - 0.3)

    def test_a_file_that_is_linked_into_place_has_arrived(self):
        with watcher.Watcher(self.source, self.arrived) as watch:
            with open(self.source):
                time.sleep(0.05)
            os.link(self.source, self.arrived)
            self.assertGreaterEqual(watch.seconds(), 0.05)

    def test_a_file_that_nobody_reads_is_no_measurement(self):
        with watcher.Watcher(self.source, self.arrived) as watch:
            with open(self.arrived, "w"):
                pass
            with self.assertRaisesRegex(RuntimeError, "be opened"):
                watch.seconds()


if __name__ == "__main__":
    unittest.main(verbosity=2)
