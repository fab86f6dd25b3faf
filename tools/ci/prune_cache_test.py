"""What prune_cache deletes, and what it must not."""

import os
import pathlib
import tempfile
import unittest

import prune_cache


class PruneCacheTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name)

    def entry(self, name, size, used):
        """A file of `size` bytes, last used at second `used`."""
        path = self.cache / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (used, used))
        return path

    def test_cache_within_its_bound_is_left_alone(self):
        path = self.entry("cas/" + "a" * 64, 100, 1)
        self.assertEqual(prune_cache.prune(self.cache, 100), 0)
        self.assertTrue(path.exists())

    def test_longest_unused_goes_first_until_a_quarter_is_free(self):
        paths = [self.entry(f"cas/{i:064x}", 10, used)
                 for i, used in enumerate((50, 10, 40, 20, 30))]
        self.assertEqual(prune_cache.prune(self.cache, 40), 20)
        self.assertEqual([p.exists() for p in paths],
                         [True, False, True, False, True])

    def test_both_kinds_count_and_folders_below_them(self):
        self.entry("ac/" + "a" * 64, 10, 1)
        self.entry("cas/0f/" + "b" * 64, 10, 2)
        self.assertEqual(prune_cache.prune(self.cache, 10), 20)

    def test_file_that_bazel_did_not_name_is_never_deleted(self):
        kept = [self.entry(name, 100, 1) for name in
                ("thesis.txt", "a" * 64, "cas/notes", "cas/" + "a" * 63)]
        self.assertEqual(prune_cache.prune(self.cache, 0), 0)
        self.assertTrue(all(p.exists() for p in kept))

    def test_cache_that_does_not_exist_is_within_its_bound(self):
        self.assertEqual(prune_cache.prune(self.cache / "none", 0), 0)


if __name__ == "__main__":
    unittest.main()
