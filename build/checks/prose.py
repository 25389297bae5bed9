#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain English: Vale with the project's rules over Markdown, comments, docstrings and YAML texts. Exit 1: findings.

Usage: prose.py             every file of the repository
       prose.py FILE…       only these

Vale reads Markdown, so each source file becomes a page of its prose, line for line. Standard library only.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

from repository import ROOT, files

VALE = ROOT / ".tailrace" / "bin" / "vale"
RULES = ROOT / "build" / "vale" / "vale.ini"
PAGES = ROOT / ".tailrace" / "build" / "prose"
# The glossary and the rules name the words that they forbid; results and licences quote others.
LEFT_OUT = ("docs/GLOSSARY.md", "build/vale/", "docs/results/", "testdata/", "LICENSE")

_STRING = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
SLASHES = re.compile(rf"{_STRING}|`[^`]*`|(?P<comment>//[^\n]*|/\*.*?\*/)", re.S)
# The columns in a query's header are names, not prose.
DASHES = re.compile(r"'(?:''|[^'])*'|-- returns [^\n]*(?:\n--     [^\n]*)*|(?P<comment>--[^\n]*)")
HASHES = re.compile(rf"{_STRING}|(?<!\S)(?P<comment>#[^\n]*)")
COMMENTS = {
    **dict.fromkeys((".java", ".go", ".js", ".c"), SLASHES),
    ".sql": DASHES,
    **dict.fromkeys((".sh", ".yml", ".yaml", ".mk", ".toml", "Makefile"), HASHES),
}
# YAML keys whose values users read.
TEXTS = re.compile(
    r"(?P<lead> *(?:- )?)(?:about|(?:short_)?description|evidence|help|meaning|name|title|why): *"
    r"(?:[>|]-?$)?(?P<text>.*)"
)
DECORATION = re.compile(r"^\s*(?:///?|/\*+|\*+/?|--+|#+!?)\s?|\s*\*+/\s*$")


def page(path: Path) -> str | None:
    """A file's prose, each line where the file has it; None for a file without comments of a known form."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return _python(path.read_text(encoding="utf-8"))
    pattern = COMMENTS.get(path.suffix or path.name)
    if pattern is None:
        return None
    text = path.read_text(encoding="utf-8")
    comments = _commented(text, pattern)
    return _with_values(comments, text) if path.suffix in (".yml", ".yaml") else comments


def _commented(text: str, pattern: re.Pattern[str]) -> str:
    lines = [""] * (text.count("\n") + 1)
    for found in pattern.finditer(text):
        if (comment := found.group("comment")) is not None:
            first = text.count("\n", 0, found.start())
            for offset, line in enumerate(comment.splitlines()):
                lines[first + offset] = _plain(line)
    return "\n".join(lines)


def _with_values(comments: str, text: str) -> str:
    """The comments of a YAML file, and the values of TEXTS with their further lines, which are indented more."""
    lines: list[str] = []
    column: int | None = None
    for comment, line in zip(comments.split("\n"), text.split("\n"), strict=True):
        value = ""
        if found := TEXTS.match(line):
            column, value = len(found["lead"]), found["text"]
            if lines and lines[-1] and lines[-1][-1] not in ".:?!":
                lines[-1] += "."  # two values are not one sentence
        elif column is not None and (not line.strip() or len(line) - len(line.lstrip()) > column):
            value = line.strip()
        else:
            column = None
        lines.append(comment or value.strip("\"'"))
    return "\n".join(lines)


def _python(text: str) -> str:
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = _plain(token.string)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            for offset, line in enumerate(ast.get_docstring(node, clean=False).splitlines()):
                lines[node.body[0].lineno - 1 + offset] = line.strip()
    return "\n".join(lines)


def _plain(line: str) -> str:
    """Without comment marks and indentation; Javadoc's inline tags as code."""
    line = DECORATION.sub("", line).strip()
    return re.sub(r"\{@(?:code|link)\s+([^}]*)\}", r"`\1`", line)


def main(names: list[str]) -> int:
    pages = {}
    for name in names or [name for name in files() if not name.startswith(LEFT_OUT)]:
        text = page((ROOT / name).resolve())
        if text is not None and text.strip():
            target = PAGES / f"{name.lstrip('/')}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            pages[str(target)] = name
    if not pages:
        print("prose: no file with prose")
        return 0
    done = subprocess.run(
        [VALE, f"--config={RULES}", "--output=line", *pages], capture_output=True, text=True, check=False
    )
    found = 0
    for line in sorted(done.stdout.splitlines()):
        target, _, rest = line.partition(".md:")
        print(f"{pages.get(target + '.md', target)}:{rest}", file=sys.stderr)
        found += 1
    if done.returncode not in (0, 1) or (done.returncode == 1 and not found):
        print(done.stderr, file=sys.stderr)
        return 2
    print(f"prose: {len(pages)} files, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
