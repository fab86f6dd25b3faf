"""What coverage_objects lists, for build events and files made up here."""

import pathlib
import tempfile
import unittest

import coverage_objects

COVERED = b"\x7fELF....__llvm_covmap...."


class CoverageObjectsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    @staticmethod
    def built(path, is_test=True):
        return {"id": {"targetCompleted": {"label": f"//a:{path.name}"}},
                "children": [{"testSummary": {}}] if is_test else [],
                "completed": {"success": True,
                              "importantOutput": [{"uri": path.as_uri()}]}}

    def test_test_and_the_programs_it_runs_with_are_listed_once_each(self):
        test = self.file("t", COVERED)
        daemon = self.file("d", COVERED)
        script = self.file("s.sh", b"#!/bin/sh\n# __llvm_covmap\n")
        self.file("t.runfiles_manifest",
                  f"tactus/a/t {test}\ntactus/a/d {daemon}\n"
                  f"tactus/a/s.sh {script}\ntactus/a/empty \n"
                  f"tactus/a/gone {self.folder}/gone\n".encode())
        self.assertEqual(coverage_objects.objects_of([self.built(test)]),
                         [str(daemon), str(test)])

    def test_program_without_a_mapping_is_not(self):
        test = self.file("t", b"\x7fELF")
        self.assertEqual(coverage_objects.objects_of([self.built(test)]), [])

    def test_target_that_is_no_test_or_was_not_built_is_not(self):
        library = self.file("l", COVERED)
        self.assertEqual(
            coverage_objects.objects_of([
                self.built(library, is_test=False),
                {"id": {"targetCompleted": {"label": "//a:u"}},
                 "children": [{"testSummary": {}}], "completed": {}}]), [])


if __name__ == "__main__":
    unittest.main()
