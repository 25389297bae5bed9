// SPDX-License-Identifier: Apache-2.0
// What lies under the lines: phases (or episodes) on charts over time, the band of chance on the lag chart.

const SHADES = { warmup: "warmup", episode: "episode" };

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
