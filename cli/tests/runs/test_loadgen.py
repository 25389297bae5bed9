# SPDX-License-Identifier: Apache-2.0
"""How the load generator is called."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tailrace.errors import BadInput
from tailrace.main import cli
from tailrace.runs import loadgen
from tailrace.stack.api import StackPaths


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    """A checkout in which set-up has built the load generator."""
    jar = tmp_path / ".tailrace" / "build" / "loadgen" / "loadgen.jar"
    jar.parent.mkdir(parents=True)
    jar.touch()
    return replace(StackPaths.load(), root=tmp_path, home=tmp_path / ".tailrace")


@pytest.fixture
def java_home(tmp_path: Path) -> dict[str, str]:
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    return {"JAVA_HOME": str(tmp_path / "jdk")}


def test_the_heap_is_one_gibibyte_unless_told(paths: StackPaths, java_home: dict[str, str]) -> None:
    command = loadgen.command(paths, java_home)
    assert command == [
        java_home["JAVA_HOME"] + "/bin/java",
        *("-Xms512m", "-Xmx1g", "-XX:+UseG1GC"),
        *("-jar", str(paths.loadgen_jar)),
    ]
    more = loadgen.command(paths, java_home | {"TAILRACE_LOADGEN_HEAP": "3g"})
    assert more[1:4] == ["-Xms3g", "-Xmx3g", "-XX:+UseG1GC"]


def test_a_user_adds_flags_of_java(paths: StackPaths, java_home: dict[str, str]) -> None:
    command = loadgen.command(paths, java_home | {"TAILRACE_LOADGEN_JVM": "-Dname='two words' -XX:+UseZGC"})
    assert command[3:6] == ["-XX:+UseG1GC", "-Dname=two words", "-XX:+UseZGC"]


def test_an_archive_of_classes_that_java_cannot_read_changes_nothing(tmp_path: Path) -> None:
    built = StackPaths.load().loadgen_jar
    archive = built.with_suffix(".jsa")
    assert f"-XX:SharedArchiveFile={archive}" in loadgen.command(StackPaths.load())
    unreadable = tmp_path / "loadgen.jsa"
    unreadable.write_text("of another java")
    command = [word.replace(str(archive), str(unreadable)) for word in loadgen.command(StackPaths.load())]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("heap", ["lots", "-1", "2g -version", "2 g"])
def test_a_heap_that_java_would_not_take_is_refused(paths: StackPaths, java_home: dict[str, str], heap: str) -> None:
    with pytest.raises(BadInput, match="TAILRACE_LOADGEN_HEAP"):
        loadgen.command(paths, java_home | {"TAILRACE_LOADGEN_HEAP": heap})


def test_what_is_missing_is_named(paths: StackPaths, java_home: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no java in .*; install"):
        loadgen.command(paths, {"JAVA_HOME": str(tmp_path / "none")})
    paths.loadgen_jar.unlink()
    with pytest.raises(BadInput, match="run make setup"):
        loadgen.command(paths, java_home)


@pytest.mark.parametrize(
    ("common", "given", "servers"),
    [
        ("commonConfig: |\n  client.rack=a\n", None, "local"),
        ("commonConfig: |\n  bootstrap.servers=far:9092\n", None, "far:9092"),
        ("commonConfig: bootstrap.servers=far:9092\n", None, "far:9092"),
        ("commonConfig: |\n  bootstrap.servers : far:9092\n", None, "far:9092"),
        ("commonConfig: |\n  # bootstrap.servers=far:9092\n", None, "local"),
        ("commonConfig: |\n  bootstrap.servers=far:9092\n", "near:1", "near:1"),
    ],
)
def test_the_stacks_broker_serves_unless_another_is_named(
    tmp_path: Path, common: str, given: str | None, servers: str
) -> None:
    paths = StackPaths.load()
    driver = tmp_path / "driver.yaml"
    driver.write_text(f"name: d\nreplicationFactor: 1\n{common}", encoding="utf-8")
    inputs = loadgen.Inputs(paths.root / "workloads" / "smoke.yaml", driver, None, given)
    expected = f"127.0.0.1:{paths.ports['KAFKA_PORT']}" if servers == "local" else servers
    planned = loadgen.plan(paths, inputs)["producer_config"]
    assert planned["bootstrap.servers"] == expected


def test_the_command_to_repeat_a_run_is_given_as_typed_in_the_repository() -> None:
    root = Path("/somewhere/tailrace")
    inputs = loadgen.Inputs(root / "workloads/demo.yaml", root / "d.yaml", 7, None)
    assert inputs.command_line(root) == ("tailrace run workloads/demo.yaml --driver d.yaml --seed 7")


def test_a_run_asks_for_its_plan_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question starts a JVM."""
    asked = tmp_path / "asked"
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    real = loadgen.java()
    java.write_text(f'#!/bin/sh\necho "$*" >> {asked}\nexec {real} "$@"\n', encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path / "state"))
    smoke = str(StackPaths.load().root / "workloads" / "smoke.yaml")
    done = CliRunner().invoke(cli, ["run", smoke])
    # No stack is up there, which is found out after planning.
    assert "the stack is not up" in done.output
    assert asked.read_text(encoding="utf-8").count(" plan ") == 1
