// SPDX-License-Identifier: Apache-2.0
// The heatmap under a chart over time: a cell's opacity is the logarithm of its message count.

const FAINTEST = 0.1;
const KEY_STEPS = 5;

/** The opacity of a cell with this number of messages, 0 to 1. */
function strength(heat, messages) {
  return FAINTEST + (1 - FAINTEST) * (Math.log1p(messages) / Math.log1p(heat.most));
}

function drawHeat(u, heat) {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  u.ctx.fillStyle = colour(heat.colour);
  for (const [column, place, messages] of heat.cells) {
    const from = heat.first + column * heat.step;
    if (from + heat.step < u.scales.x.min || from > u.scales.x.max) continue;
    const low = heat.low * heat.ratio ** place;
    const [x, right] = [u.valToPos(from, "x", true), u.valToPos(from + heat.step, "x", true)];
    const [bottom, y] = [u.valToPos(low, "y", true), u.valToPos(low * heat.ratio, "y", true)];
    u.ctx.globalAlpha = strength(heat, messages);
    // Whole pixels, so that neither seams nor overlaps show between cells; every cell is at least a pixel.
    const [column0, row0] = [Math.round(x), Math.round(y)];
    u.ctx.fillRect(column0, row0, Math.max(1, Math.round(right) - column0), Math.max(1, Math.round(bottom) - row0));
  }
  u.ctx.restore();
}

/** The colour key: from one message in a cell to the most that any has. */
function heatKey(heat) {
  const key = document.createElement("span");
  key.className = "key";
  key.title = "Messages in a cell, by the logarithm of their count";
  key.append("1");
  for (let i = 0; i < KEY_STEPS; i++) {
    const sample = document.createElement("i");
    sample.style.background = `var(--${heat.colour})`;
    sample.style.opacity = strength(heat, heat.most ** (i / (KEY_STEPS - 1)));
    key.append(sample);
  }
  key.append(`${grouped(heat.most, 0)} messages a cell, log`);
  return key;
}

/** Column → place → messages, cached. */
function heatColumns(heat) {
  if (!heat.columns) {
    heat.columns = new Map();
    for (const [column, place, messages] of heat.cells) {
      if (!heat.columns.has(column)) heat.columns.set(column, new Map());
      heat.columns.get(column).set(place, messages);
    }
  }
  return heat.columns;
}

/** The cell under the pointer in words. If keys or another chart moved the cursor, the cell with the most messages. */
function heatReadout(u, heat, at) {
  const pointed = u.over.matches(":hover");
  const second = pointed ? u.posToVal(u.cursor.left, "x") : at;
  const cells = heatColumns(heat).get(Math.floor((second - heat.first) / heat.step));
  if (!cells) return "no message";
  const [most] = [...cells].reduce((best, cell) => (cell[1] > best[1] ? cell : best));
  const place = pointed ? Math.floor(Math.log(u.posToVal(u.cursor.top, "y") / heat.low) / Math.log(heat.ratio)) : most;
  const [low, high] = [heat.low * heat.ratio ** place, heat.low * heat.ratio ** (place + 1)];
  const count = cells.get(place) ?? 0;
  return `${pointed ? "" : "most at "}${brief(low)}–${brief(high)} ms: ${grouped(count, 0)} message${count === 1 ? "" : "s"}`;
}
