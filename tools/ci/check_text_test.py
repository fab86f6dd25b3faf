"""What check_text finds. Each forbidden text is put together here, so that
this file itself holds none."""

import unittest

import check_text


def found(text):
    return check_text.problems("f", text.encode("utf-8"))


class CheckTextTest(unittest.TestCase):

    def test_path_of_a_machine_is_found_with_its_place(self):
        self.assertEqual(
            found("one\ncd /" + "work/main\n"),
            ["f:2:4: a path of one machine: /" + "work/m"])

    def test_each_kind_of_path_is_found_wherever_it_starts(self):
        for path in ("root/x", "home/anna", "home/anna/src", "Users/anna/x",
                     "work/main"):
            for before, after in (("", ""), ("'", "'"), ("--dir=", " "),
                                  ("PATH=/bin:", ""), ("file://", ""),
                                  ("(", ":1:2")):
                with self.subTest(path=path, before=before):
                    self.assertEqual(
                        len(found(before + "/" + path + after)), 1)

    def test_path_that_any_machine_has_is_not(self):
        for text in ("/usr/include/absl", "/tmp/x", "/home/", "a/work/b",
                     "{'/root'}", "/work", "/work/ ",
                     "/org/a11y/atspi/accessible/root", "./root/x",
                     "https://example.org/work/x", "$HOME/work/",
                     "${root}/work/x", "~/work/x", "/rooted", "/workspace/x"):
            with self.subTest(text=text):
                self.assertEqual(found(text), [])

    def test_marked_line_is_not(self):
        self.assertEqual(
            found("{'/" + "root/.ssh'}, // NOLINT(machine-path): hostile"), [])

    def test_host_of_a_registry_is_found(self):
        for host in (("deb.", "debian.org"), ("registry.", "npmjs.org"),
                     ("files.pythonhosted.", "org"), ("static.crates.", "io"),
                     ("DEB.", "Debian.org")):
            with self.subTest(host=host):
                self.assertEqual(
                    len(found("https://" + "".join(host) + "/p")), 1)

    def test_other_host_is_not(self):
        self.assertEqual(found("https://www.debian.org/ debXdebian.org"), [])


if __name__ == "__main__":
    unittest.main()
