// SPDX-License-Identifier: Apache-2.0
// Scales and axes of the three kinds of chart: over time, over percentiles, over lags.

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200];
const LEFT = 58; // one width for all left axes, so that charts below each other share their time axis
const RIGHT = 46;

// Ticks of a decade, the most first. The first list whose ticks are this far apart, in CSS pixels, is drawn.
const STEPS = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3]];
const TICK_ROOM = 16;

/** The steps of a decade that fit on a log axis of this height; over 3.5 decades only powers of ten. */
function stepsWithRoom(min, max, height) {
  const shown = Math.log10(max / min);
  const gap = (steps) => Math.min(...steps.map((step, i) => Math.log10((steps[i + 1] ?? 10) / step)));
  return (shown <= 3.5 && STEPS.find((steps) => (gap(steps) * height) / shown >= TICK_ROOM)) || [1];
}

/** Tick values of a log scale: powers of ten, and the given steps between them. */
function decades(min, max, steps) {
  const ticks = [];
  for (let k = Math.floor(Math.log10(min)); k <= Math.ceil(Math.log10(max)); k++) {
    for (const step of steps) {
      const tick = step * 10 ** k;
      if (tick >= min * 0.999 && tick <= max * 1.001) ticks.push(Number(tick.toPrecision(6)));
    }
  }
  return ticks;
}

/** The nearest 1-2-5 step outward, so that a log chart wastes no half decade. */
function outward(value, up) {
  const power = 10 ** Math.floor(Math.log10(value) + (up ? -1e-9 : 1e-9));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return up ? steps.find((step) => step >= value * 0.9999) : steps.reverse().find((step) => step <= value * 1.0001);
}

/** The lowest value of a log scale: the 1-2-5 step at or below the least positive value. */
function foot(spec) {
  if (spec.range) return spec.range[0];
  let least = Infinity;
  for (const { values, factor } of spec.series) for (const value of values) if (value > 0) least = Math.min(least, value * factor);
  return least < Infinity ? outward(least, false) : 0.1;
}

function logScale(spec) {
  if (spec.range) return { distr: 3, range: spec.range };
  return {
    distr: 3,
    range: (u, min, max) => {
      if (!(min > 0)) return [0.1, 10];
      const range = [outward(min, false), outward(max, true)];
      return range[0] < range[1] ? range : [range[0] / 2, range[1] * 2];
    },
  };
}

function linearScale(spec) {
  if (spec.range) return { range: spec.range };
  return { range: (u, min, max) => (min === null ? [0, 1] : uPlot.rangeNum(Math.min(0, min), max > min ? max : min + 1, { min: { pad: 0, mode: 1 }, max: { pad: 0.08, mode: 1, soft: 0 } })) };
}

function valueAxis(spec, log) {
  const axis = {
    size: LEFT,
    gap: 6,
    font: font(),
    stroke: colour("soft"),
    grid: { stroke: colour("grid"), width: 1 },
    ticks: { show: false },
    space: 26,
    values: (u, ticks) => ticks.map((tick) => (tick === null ? "" : compact(tick))),
  };
  if (!log) return axis;
  axis.splits = (u, index, min, max) => decades(min, max, stepsWithRoom(min, max, u.bbox.height / devicePixelRatio));
  axis.filter = (u, ticks) => ticks;
  return axis;
}

function secondAxis(spec) {
  return { scale: "second", side: 1, size: RIGHT, gap: 6, font: font(), stroke: colour("soft"), grid: { show: false }, ticks: { show: false }, space: 30, values: (u, ticks) => ticks.map((tick) => `${tick}${spec.second.suffix}`) };
}

const HORIZONTAL = {
  time: (spec, axis) => {
    axis.incrs = SECONDS;
    axis.space = 56;
    axis.values = (u, ticks) => ticks.map(elapsed);
    if (!spec.labelled) axis.values = (u, ticks) => ticks.map(() => "");
    axis.size = spec.labelled ? 26 : 6;
    return { time: false };
  },
  percentile: (spec, axis) => {
    axis.splits = (u, index, min, max) => [2, 10, ...decades(100, max, [1])].filter((tick) => tick >= min * 0.999 && tick <= max);
    axis.filter = (u, ticks) => ticks;
    axis.values = (u, ticks) => ticks.map(percentile);
    return { time: false, distr: 3, range: (u, min, max) => [min, max * 1.02] };
  },
  lag: (spec, axis) => {
    axis.incrs = [1, 2, 5];
    axis.space = 40;
    axis.values = (u, ticks) => ticks.map((tick) => (tick > 0 ? "+" : tick < 0 ? "−" : "") + Math.abs(tick) + " s");
    return { time: false };
  },
  place: (spec, axis) => {
    axis.incrs = [1, 2, 5, 10, 20, 50, 100];
    axis.space = 60;
    axis.values = (u, ticks) => ticks.map((tick) => spec.names[tick] ?? "");
    // Half a place on either side, so that no point lies on the edge.
    return { time: false, range: (u, min, max) => [min - 0.5, max + 0.5] };
  },
};

/** The label of a place on the horizontal axis. */
function placeName(spec, idx, value) {
  if (spec.kind === "place") return spec.names[idx];
  return spec.kind === "lag" ? `lag ${value} s` : percentile(value);
}

function horizontal(spec) {
  const axis = { font: font(), stroke: colour("soft"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, gap: 5, size: 26 };
  return { axis, scale: HORIZONTAL[spec.kind](spec, axis) };
}
