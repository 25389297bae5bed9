// SPDX-License-Identifier: Apache-2.0
// Phases, episodes and marks behind the lines of charts over time, their labels above; the band of chance on the lag chart.

const SHADES = { warmup: "warmup", episode: "episode", mark: "mark" };

function shade(u, from, to, fill) {
  const [left, right] = [u.valToPos(from, "x", true), u.valToPos(to, "x", true)];
  const [start, end] = [Math.max(left, u.bbox.left), Math.min(right, u.bbox.left + u.bbox.width)];
  if (end <= start) return;
  u.ctx.fillStyle = fill;
  u.ctx.fillRect(start, u.bbox.top, end - start, u.bbox.height);
}

/** Shades episodes, and phases other than the measure phase. */
function drawPhases(u) {
  u.ctx.save();
  for (const { name, start, end } of page.phases) {
    if (name !== "mark" && name !== "measure") shade(u, start, end, colour(SHADES[name] ?? "drain"));
  }
  u.ctx.restore();
}

/** A line at the start of each mark, and a shade over its length. */
function drawMarked(u) {
  u.ctx.save();
  for (const mark of page.phases.filter(({ name }) => name === "mark")) {
    const at = u.valToPos(mark.start, "x", true);
    if (mark.end > mark.start) shade(u, mark.start, mark.end, colour("mark"));
    if (at < u.bbox.left || at > u.bbox.left + u.bbox.width) continue;
    u.ctx.fillStyle = colour("marked");
    u.ctx.fillRect(Math.round(at) - devicePixelRatio, u.bbox.top, 2 * devicePixelRatio, u.bbox.height);
  }
  u.ctx.restore();
}

// In CSS pixels: the height of a row of names, and the least width of a span with a name, by kind.
const NAME_ROW = 14;
const NAMED_FROM = { episode: 6, mark: 0 };
const PHASE_NAMED_FROM = 50;

/** Rows above the plot for the names of phases, episodes and marks, so that no line of the chart runs through them. */
function nameRows() {
  const has = (kind) => page.phases.filter(({ name }) => name === kind).length;
  return page.phases.length ? 1 + Math.min(1, has("episode")) + Math.min(2, has("mark")) : 0;
}

/** The names, each at the start of its span, in the lowest free row. Without a free row a name is left out; tables have it. */
function drawNames(u) {
  const size = devicePixelRatio;
  const [left, right] = [u.bbox.left, u.bbox.left + u.bbox.width];
  const ends = Array(nameRows()).fill(-Infinity);
  u.ctx.save();
  u.ctx.textBaseline = "bottom";
  u.ctx.textAlign = "left";
  for (const { name, label, start, end } of [...page.phases].sort((a, b) => a.start - b.start)) {
    const [from, to] = [Math.max(left, u.valToPos(start, "x", true)), Math.min(right, u.valToPos(end, "x", true))];
    if (to < from || to - from < (NAMED_FROM[name] ?? PHASE_NAMED_FROM) * size) continue;
    u.ctx.font = `${name === "mark" ? "600 " : ""}${10.5 * size}px ${colour("sans")}`;
    u.ctx.fillStyle = colour(name === "mark" ? "marked" : "soft");
    const words = shortened(u, label, u.bbox.width / 2);
    const wide = u.ctx.measureText(words).width + 8 * size;
    const at = Math.min(from + 2 * size, right - wide);
    const row = ends.findIndex((before) => before <= at);
    if (row < 0) continue;
    ends[row] = at + wide;
    u.ctx.fillText(words, at, u.bbox.top - (2 + NAME_ROW * row) * size);
  }
  u.ctx.restore();
}

function shortened(u, text, most) {
  if (u.ctx.measureText(text).width <= most) return text;
  let kept = text;
  while (kept && u.ctx.measureText(`${kept}…`).width > most) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function drawChance(u, spec) {
  const { left, top, width, height } = u.bbox;
  const high = u.valToPos(spec.chance, "y", true);
  const low = u.valToPos(-spec.chance, "y", true);
  u.ctx.save();
  u.ctx.fillStyle = colour("warmup");
  u.ctx.fillRect(left, Math.max(top, high), width, Math.min(top + height, low) - Math.max(top, high));
  u.ctx.strokeStyle = colour("soft");
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.beginPath();
  const zero = Math.round(u.valToPos(0, "x", true));
  u.ctx.moveTo(zero, top);
  u.ctx.lineTo(zero, top + height);
  u.ctx.stroke();
  u.ctx.restore();
}
