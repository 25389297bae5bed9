// SPDX-License-Identifier: Apache-2.0
// The heatmap under a chart over time: a cell is the stronger in colour the more messages it holds, by the logarithm of their count.

const FAINTEST = 0.1;

function drawHeat(u, heat) {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  u.ctx.fillStyle = colour(heat.colour);
  const whole = Math.log1p(heat.most);
  for (const [column, place, messages] of heat.cells) {
    const from = heat.first + column * heat.step;
    if (from + heat.step < u.scales.x.min || from > u.scales.x.max) continue;
    const low = heat.low * heat.ratio ** place;
    const [x, right] = [u.valToPos(from, "x", true), u.valToPos(from + heat.step, "x", true)];
    const [bottom, y] = [u.valToPos(low, "y", true), u.valToPos(low * heat.ratio, "y", true)];
    u.ctx.globalAlpha = FAINTEST + (1 - FAINTEST) * (Math.log1p(messages) / whole);
    // Whole pixels, so that neither seams nor overlaps show between cells; a cell is never nothing.
    const [column0, row0] = [Math.round(x), Math.round(y)];
    u.ctx.fillRect(column0, row0, Math.max(1, Math.round(right) - column0), Math.max(1, Math.round(bottom) - row0));
  }
  u.ctx.restore();
}
