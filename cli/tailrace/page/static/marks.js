// SPDX-License-Identifier: Apache-2.0
// What lies under the lines: phases, episodes and what people marked on charts over time, the band of chance on the lag chart.

const SHADES = { warmup: "warmup", episode: "episode", mark: "mark" };

function shade(u, from, to, fill) {
  const [left, right] = [u.valToPos(from, "x", true), u.valToPos(to, "x", true)];
  const [start, end] = [Math.max(left, u.bbox.left), Math.min(right, u.bbox.left + u.bbox.width)];
  if (end <= start) return null;
  u.ctx.fillStyle = fill;
  u.ctx.fillRect(start, u.bbox.top, end - start, u.bbox.height);
  return start;
}

function drawPhases(u, named) {
  u.ctx.save();
  for (const phase of page.phases) {
    if (phase.name === "mark") continue;
    const inMeasure = phase.name === "measure";
    const start = inMeasure ? Math.max(u.valToPos(phase.start, "x", true), u.bbox.left) : shade(u, phase.start, phase.end, colour(SHADES[phase.name] ?? "drain"));
    const wide = u.valToPos(phase.end, "x", true) - u.valToPos(phase.start, "x", true);
    if (start === null || !named || wide < 60 * devicePixelRatio) continue;
    u.ctx.fillStyle = colour("soft");
    u.ctx.font = `${10.5 * devicePixelRatio}px ${colour("sans")}`;
    u.ctx.textBaseline = "top";
    u.ctx.textAlign = "left";
    u.ctx.fillText(phase.label, start + 5 * devicePixelRatio, u.bbox.top + 3 * devicePixelRatio);
  }
  u.ctx.restore();
}

const MARK_ROWS = 3;

/** A line where each mark begins, and a shade as long as it lasts; the words are on the chart that names phases. */
function drawMarked(u, named) {
  const ends = Array(MARK_ROWS).fill(-Infinity);
  const size = devicePixelRatio;
  u.ctx.save();
  u.ctx.font = `600 ${10.5 * size}px ${colour("sans")}`;
  u.ctx.textBaseline = "top";
  for (const mark of page.phases.filter(({ name }) => name === "mark")) {
    const at = u.valToPos(mark.start, "x", true);
    if (mark.end > mark.start) shade(u, mark.start, mark.end, colour("mark"));
    if (at < u.bbox.left || at > u.bbox.left + u.bbox.width) continue;
    u.ctx.fillStyle = colour("marked");
    u.ctx.fillRect(Math.round(at) - size, u.bbox.top, 2 * size, u.bbox.height);
    if (!named) continue;
    const words = shortened(u, mark.label, u.bbox.width / 2);
    const wide = u.ctx.measureText(words).width + 6 * size;
    const start = Math.min(at + 4 * size, u.bbox.left + u.bbox.width - wide);
    const row = ends.findIndex((end) => end <= start);
    // Where there is no room the table has the words.
    if (row < 0) continue;
    ends[row] = start + wide;
    u.ctx.fillText(words, start, u.bbox.top + (16 + 13 * row) * size);
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
