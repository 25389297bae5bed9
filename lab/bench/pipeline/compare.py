# SPDX-License-Identifier: Apache-2.0
"""make bench-pipeline: the stock path and ours, paired round by round."""

import os
from contextlib import ExitStack

from lab.bench.machine import headline
from lab.bench.pipeline import show
from lab.bench.pipeline.paths import COMPARED, LOG_DEFAULT, NONE, SHAPES, SPAN_DEFAULT
from lab.bench.pipeline.rounds import Emitter, Round, play
from lab.bench.pipeline.stand import PipelineStand, pipeline_stand

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "2"))
RATE = int(os.environ.get("BENCH_RATE", "100000"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "15"))
WARM_UP_SECONDS = 10


def main() -> None:
    print(
        f"{headline()}\n{RATE:,} events/s for {SECONDS} s a round, all paths alike; {ROUNDS} rounds after a warm-up",
        flush=True,
    )
    with pipeline_stand(with_stock=True) as made, ExitStack() as ending:
        print(f"ClickHouse {made.warehouse.client.server_version}", flush=True)
        emitters: dict[str, Emitter] = {}
        for path in (NONE, *COMPARED):
            emitters[path.name] = Emitter(made, path)
            ending.callback(emitters[path.name].program.stop)
        for path in (NONE, *COMPARED):
            _round(made, emitters[path.name], SHAPES[0], 0, WARM_UP_SECONDS)
        by_shape: dict[str, show.Rounds] = {shape: {name: [] for name in emitters} for shape in SHAPES}
        for number in range(1, ROUNDS + 1):
            for shape, rounds in by_shape.items():
                for path in (NONE, *COMPARED):
                    rounds[path.name].append(_round(made, emitters[path.name], shape, number, SECONDS))
        print("\nThe SDK's batch processors with their defaults (queue 2,048, batch 512):")
        for path in (LOG_DEFAULT, SPAN_DEFAULT):
            emitter = Emitter(made, path)
            ending.callback(emitter.program.stop)
            _round(made, emitter, SHAPES[0], ROUNDS + 1, WARM_UP_SECONDS)
        for shape, rounds in by_shape.items():
            print(f"\n{shape}\n{show.table(rounds)}")
        print(show.result(by_shape))


def _round(made: PipelineStand, emitter: Emitter, shape: str, number: int, seconds: int) -> Round:
    played = play(made, emitter, shape, number, RATE * seconds, RATE)
    print(f"  {shape:8}{show.line(played)}" + ("" if number else " (warm-up)"), flush=True)
    return played
