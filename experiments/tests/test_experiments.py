# SPDX-License-Identifier: Apache-2.0
"""The experiments' folders: complete, and each is found by its name."""

from pathlib import Path

import pytest
import yaml

from tailrace.api import FULL, SMALL, BadInput, Experiment, StackPaths, catalogue, chosen, experiments, published

SEEDS = published(StackPaths.load().root)
# Each published finding, the audit of the broker's settings, and the study of reading.
NAMES = [
    *("0-fsync", "1-producers", "2-long-run", "3-retention", "4-record-keys", "5-drive-limit"),
    *("6-backlog", "feldera"),
]


@pytest.fixture(params=NAMES)
def experiment(request: pytest.FixtureRequest) -> Experiment:
    return chosen(SEEDS, [request.param])[0]


def test_all_are_there() -> None:
    assert [each.name for each in experiments(SEEDS)] == NAMES


def test_every_file_it_names_is_there_and_no_workload_is_left_out(experiment: Experiment) -> None:
    named = set()
    for form in (FULL, SMALL):
        for system in experiment.systems:
            for step in experiment.steps(form, system):
                assert step.workload.exists(), step.workload
                assert step.driver.exists(), step.driver
                assert step.workload.name.startswith("small-") == (form == SMALL)
                named.add(step.workload.name)
    there = {file.name for file in experiment.folder.glob("*.yaml")} - {"experiment.yaml"}
    assert there == named
    assert (experiment.folder / "README.md").exists()


def test_its_queries_take_runs_and_return_a_verdict(experiment: Experiment) -> None:
    header = catalogue.load(experiment.verdict).header
    assert header.params[0].name == "runs"
    names = [name for name, _type in header.returns]
    assert names[:5] == ["system", "claim", "verdict", "authors", "reason"]
    assert experiment.table is None or catalogue.load(experiment.table)


def test_the_filled_topics_are_those_that_its_workloads_name() -> None:
    [feldera] = chosen(SEEDS, ["feldera"])
    for form in (FULL, SMALL):
        filled = feldera.filled(form)
        assert filled is not None
        fill, read = (step.workload for step in feldera.steps(form, "kafka"))
        written = yaml.safe_load(fill.read_text())["vary"][0]["existingProduceTopicList"]
        assert [topic for [topic] in written] == list(filled.topics)
        assert yaml.safe_load(read.read_text())["vary"][0]["existingConsumeTopicList"] == written
        assert filled.topics[f"{filled.prefix}-64k-16p"] == 16


def test_systems_differ_in_name_and_class_alone() -> None:
    for file in (SEEDS / "drivers").glob("*/kafka-*.yaml"):
        twin = file.with_name(file.name.replace("kafka", "redpanda", 1))
        one, other = (yaml.safe_load(each.read_text()) for each in (file, twin))
        assert {key for key in one if one[key] != other[key]} == {"name", "driverClass"}


def test_a_name_that_is_none_of_them_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="no experiment 'backlog'; nearest: 6-backlog"):
        chosen(SEEDS, ["backlog"])


def test_a_folder_that_is_incomplete_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "experiment.yaml").write_text("claim: x\n")
    with pytest.raises(BadInput, match=r"mine/experiment.yaml: not an experiment: 'source'"):
        experiments(tmp_path)


def test_a_folder_without_any_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no experiment\.yaml in it"):
        chosen(tmp_path, [])
