# SPDX-License-Identifier: Apache-2.0
"""Makes one run: waits for quiet, starts load, injects faults, returns the truth."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from lab.faults import kinds, quiet, signature
from lab.faults.errors import Refused, Unsupported
from lab.faults.fault import Fault, Kind, Scene
from lab.faults.load import Load
from lab.faults.plan import SLACK_S, Injection, RunPlan
from lab.faults.quiet import Limits
from lab.faults.stand import FaultStand
from lab.faults.truth import FAILED, INJECTED, NO_EFFECT, REFUSED, SKIPPED, Injected, Truth, now
from lab.faults.watch import WINDOW_S, Watch
from lab.stand.errors import StandError

Say = Callable[[str], None]


def with_outcome(plan: RunPlan, planned: Injection, outcome: str, reason: str = "") -> Injected:
    """The injection as it is written to the truth, without figures."""
    kind = kinds.ALL[planned.kind]
    return Injected(
        kind.name, planned.strength, plan.seed, plan.split, outcome, kind.cause, list(kind.also), reason=reason
    )


def without_run(plan: RunPlan, outcome: str, reason: str) -> Truth:
    """The truth of a run that was not made."""
    injections = [with_outcome(plan, planned, outcome, reason) for planned in plan.faults]
    return Truth(plan.run_id, plan.seed, plan.split, plan.drive, not plan.faults, injections, refused=reason)


@dataclass
class FaultRun:
    """Makes one run on a stack that is up, on the drive that the plan asks for."""

    stand: FaultStand
    plan: RunPlan
    limits: Limits
    patience_s: float
    say: Say
    _slack_s: float = SLACK_S
    _late_s: float = 0.0

    def truth(self) -> Truth:
        """Returns when everything is stored."""
        plan = self.plan
        drive = self.stand.drive
        assert drive is not None, "the stack is up"
        try:
            noise = quiet.wait_quiet(self.stand.paths, drive, self.limits, self.patience_s, self.say)
        except Refused as err:
            self.say(f"  refused: {err}")
            return without_run(plan, REFUSED, str(err))
        for planned in plan.faults:
            kind = kinds.ALL[planned.kind]
            if kind.prepare is not None and not kind.missing():
                kind.prepare(self.stand, kind.strengths[planned.strength])
        load = Load(self.stand, plan)
        watch = Watch()
        try:
            load.wait_phase("measure", 150)
            begun = time.monotonic()
            scene = Scene(self.stand, drive, plan.run_id)
            with watch:
                injections = [self._one(scene, planned, begun) for planned in plan.faults]
                load.wait_stored()
            url = self.stand.endpoints.victoriametrics_url
            injections = [
                replace(one, signature=signature.of(url, plan.run_id, drive.top.name, one)) if one.start else one
                for one in injections
            ]
        finally:
            load.stop()
        during = watch.noise()
        loud = "" if plan.faults else quiet.above(during, self.limits)
        if loud:
            self.say(f"  not quiet: {loud}, for {WINDOW_S} s")
        is_quiet = not plan.faults
        return Truth(plan.run_id, plan.seed, plan.split, plan.drive, is_quiet, injections, noise | during, loud=loud)

    def _one(self, scene: Scene, planned: Injection, begun: float) -> Injected:
        kind = kinds.ALL[planned.kind]
        time.sleep(max(0.0, begun + planned.at + self._late_s - time.monotonic()))
        waiting = time.monotonic()
        try:
            if missing := kind.missing():
                raise Unsupported("; ".join(missing))
            quiet.wait_baseline(
                self.stand.endpoints.victoriametrics_url, self.plan.run_id, self.limits["p99_ms"], self._slack_s
            )
            result = self._inject(scene, kind, planned, kind.make(scene, kind.strengths[planned.strength]))
        except (Refused, Unsupported, StandError) as err:
            outcome = {Refused: REFUSED, Unsupported: SKIPPED}.get(type(err), FAILED)
            result = with_outcome(self.plan, planned, outcome, str(err))
        spent = time.monotonic() - waiting - planned.seconds - kind.lead_s
        # The time spent waiting shifts all that follows, as far as the run is long enough.
        self._late_s += max(0.0, spent)
        self._slack_s -= max(0.0, spent)
        at = waiting - begun
        figures = f"{result.before:.3g} → {result.during:.3g} {result.unit}" if result.during is not None else ""
        words = (f"{at:6.1f} s", f"{planned.kind} {planned.strength}:", result.outcome, figures, result.reason)
        self.say("  " + " ".join(word for word in words if word))
        return result

    def _inject(self, scene: Scene, kind: Kind, planned: Injection, fault: Fault) -> Injected:
        before = fault.measure()
        with ThreadPoolExecutor(1) as beside:
            with fault.inject():
                start = now()
                # In a thread, because the measurement may not return before the fault ends.
                time.sleep(min(1.0, planned.seconds / 3))
                measured = beside.submit(fault.measure)
                time.sleep(planned.seconds - min(1.0, planned.seconds / 3))
                end = now()
            during = measured.result(120)
        effect = fault.took_effect(before, during)
        return replace(
            with_outcome(self.plan, planned, INJECTED if effect else NO_EFFECT),
            device=scene.drive.top.name if kind.on_drive else None,
            start=start,
            end=end,
            before=before,
            during=during,
            unit=fault.unit,
            reason="" if effect else "the lab measured no effect",
        )
