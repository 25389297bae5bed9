# SPDX-License-Identifier: Apache-2.0
"""Removes secrets from workload and driver files before their text is stored."""

import re

from tailrace.contracts import HIDDEN_NAMES, MASK

_NAME = rf"[\w.-]*(?:{HIDDEN_NAMES})[\w.-]*"
# key: value and key=value at the start of a line, also in a list item or a comment.
_LINE = re.compile(rf"(?P<head>(?P<indent>\s*)(?:#\s*)?(?:-\s+)?[\"']?{_NAME}[\"']?\s*[:=])(?P<value>.*)", re.I)
_JAAS = re.compile(r"(?P<head>jaas[\w.-]*[\"']?\s*[:=]\s*)\S.*", re.I)
_INSIDE = re.compile(
    rf"(?P<head>{_NAME}[\"']?\s*[:=]\s*)"
    r"(?:\\\".*?\\\"|\"[^\"]*\"|'[^']*'|[^\s,;}\"']+)",
    re.I,
)
_URL = re.compile(r"(?P<head>\w://[^\s/:@]+:)[^\s/@]+(?=@)")


def redact(text: str) -> str:
    """The text with ``***`` for the value of each key whose name indicates a secret.

    Understands YAML and the properties lines inside it: values on the same line, block scalars, values continued by
    indentation or by a backslash, secrets in the middle of a value, and passwords in URLs.
    """
    kept: list[str] = []
    indent: int | None = None  # of the secret whose continuation lines are being dropped
    backslash = False
    for line in text.splitlines():
        if backslash:
            backslash = line.rstrip().endswith("\\")
            continue
        if indent is not None and (not line.strip() or _indent(line) > indent):
            continue
        indent = None
        match = _LINE.match(line)
        if match is None:
            kept.append(_redact_inside(line))
            continue
        kept.append(f"{match['head']} {MASK}" if ":" in match["head"][-1] else match["head"] + MASK)
        backslash = line.rstrip().endswith("\\")
        indent = _indent(line)
    return "\n".join(kept) + ("\n" if text.endswith("\n") else "")


def _redact_inside(line: str) -> str:
    for pattern in (_JAAS, _INSIDE, _URL):
        line = pattern.sub(rf"\g<head>{MASK}", line)
    return line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
