"""What edits mean for the structure of a file, in a dozen languages."""

import pytest

from projections.hints import of_edits

ADDED = [
    ("a.py", "import os\nfrom a.b import c\nclass X(Y):\n    async def f(self): pass\ndef g(): pass\n# def not_this\ns = 'class No'\n",
     ["+function f", "+function g", "+class X", "+from a.b import c", "+import os"]),
    ("a.js", ("import x from 'y';\nexport default class Foo extends Bar {\n  m(a) {\n}\nfunction f() {}\nasync function* g() {}\nconst h = () => 1;\nif (x) {\n"
             "call(function (q) {\n"),
     ["+function f", "+function g", "+function h", "+function m", "+class Foo", "+import x from 'y'"]),
    ("a.ts", ("import { x } from 'y';\nexport interface I { a: string }\ntype T = string;\nenum E { A }\nexport class Foo<T> {\n"
             "  private m(a: string): void {\n"
             "export function f(a: number): void {\nexport const h = async (x) => {\n"),
     ["+function f", "+function h", "+function m", "+class Foo", "+interface I", "+type E", "+type T", "+import { x } from 'y'"]),
    ("a.go", 'import "fmt"\nfunc F(a int) {\nfunc (r *R) M() {\ntype S struct {\ntype I interface {\n',
     ["+function F", "+function M", "+class S", "+interface I", '+import "fmt"']),
    ("a.rs", "use std::io;\npub fn f() {}\nstruct S;\nenum E {}\ntrait T {}\n", ["+function f", "+class S", "+interface T", "+type E", "+use std::io"]),
    ("A.java", "import java.util.List;\npublic class A {\n  public void m(int a) {\n  interface B {\n  enum C {\n",
     ["+function m", "+class A", "+interface B", "+type C", "+import java.util.List"]),
    ("a.rb", "require 'x'\nclass A\n  def m\n  end\nend\nmodule M\nend\n", ["+function m", "+class A", "+class M", "+require 'x'"]),
    ("a.c", "#include <stdio.h>\nint main(int c) {\nstruct S {\n", ["+function main", "+class S", "+#include <stdio.h>"]),
    ("a.cs", "using System;\nclass A {\n  public void M() {\ninterface I {\n", ["+function M", "+class A", "+interface I", "+using System"]),
    ("a.kt", "import a.b\nfun f() {\nclass A\n", ["+function f", "+class A", "+import a.b"]),
    ("a.swift", "import UIKit\nfunc f() {\nstruct S {\nprotocol P {\n", ["+function f", "+class S", "+interface P", "+import UIKit"]),
    ("a.php", "use A\\B;\nfunction f() {\nclass X {\ninterface I {\n", ["+function f", "+class X", "+interface I", "+use A\\B"]),
    ("notes.txt", "class of words\n", []), ("no-language", "def x():\n", []), ("data.json", '{"function": "x"}\n', []),
]


@pytest.mark.parametrize(("path", "text", "expected"), ADDED, ids=[path for path, *_ in ADDED])
def test_what_an_edit_adds_is_named(path: str, text: str, expected: list[str]) -> None:
    """Functions, classes, interfaces, types and imports by name; comments, strings, conditions and calls are none."""
    assert of_edits(path, ["\n".join(f"+{line}" for line in text.rstrip("\n").split("\n"))]) == expected


def test_what_goes_is_named_and_what_stays_is_not() -> None:
    """A changed signature is neither; what a later edit takes back is nothing."""
    first = "@@ -1,4 +1,4 @@\n-import os\n+import re\n-def add(a):\n+def add(a, b):\n+def mul(a, b):\n-class Old:\n"
    assert of_edits("a.py", [first]) == ["+function mul", "-class Old", "-import os", "+import re"]
    assert of_edits("a.py", [first, "-def mul(a, b):\n+x = 1\n"]) == ["-class Old", "-import os", "+import re"]
