// SPDX-License-Identifier: Apache-2.0
// One chart: from its spec in the page's data to a uPlot, its legend and its keys.

/** Display values of one series, at least its floor; a log scale shows zero and below at the bottom of the axis. */
function shown(series, spec, log) {
  const { factor, floor = log && !series.second ? foot(spec) : -Infinity } = series;
  return series.values.map((value) => (value === null ? null : Math.max(floor, value * factor)));
}

/** Series that are stacked, as sums: each on those after it. A hidden one adds nothing. */
function stacked(rows, hidden) {
  const sums = rows.map((values, i) => values.map((value) => (value === null ? null : hidden.has(i) ? 0 : value)));
  for (let i = sums.length - 2; i >= 0; i--) sums[i] = sums[i].map((value, at) => (value === null ? null : value + sums[i + 1][at]));
  return sums;
}

class Chart {
  constructor(figure, spec) {
    this.figure = figure;
    this.spec = spec;
    this.holder = figure.querySelector(".plot");
    this.hidden = new Set();
    this.x = spec.kind === "time" ? page.seconds : spec.x;
    this.legend();
    this.holder.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.holder);
  }

  /** Redraws, for example in another theme or scale, and keeps the visible range. */
  draw(log) {
    const range = this.plot ? [this.plot.scales.x.min, this.plot.scales.x.max] : null;
    this.plot?.destroy();
    this.log = this.spec.log === "always" || (this.spec.log === "choice" && log);
    const rows = this.spec.series.map((series) => shown(series, this.spec, this.log));
    const data = [this.x, ...(this.spec.stacked ? stacked(rows, this.hidden) : rows)];
    this.plot = new uPlot(this.options(), data, this.holder);
    if (range) this.plot.setScale("x", { min: range[0], max: range[1] });
  }

  options() {
    const { spec } = this;
    const { axis, scale } = horizontal(spec);
    const over = spec.kind === "time";
    const scales = { x: scale, y: this.log ? logScale(spec) : linearScale(spec) };
    const axes = [axis, valueAxis(spec, this.log)];
    if (spec.second) {
      scales.second = { range: spec.second.range };
      axes.push(secondAxis(spec));
    }
    return {
      width: this.holder.clientWidth || 600,
      height: this.height,
      padding: [8 + this.names, spec.second ? 0 : over ? RIGHT : 32, spec.labelled ? 0 : 4, 0],
      legend: { show: false },
      scales,
      axes,
      series: [{}, ...spec.series.map((series, i) => this.line(series, i))],
      cursor: {
        y: false,
        drag: { x: true, y: false, dist: 4 },
        points: { size: 6 },
        sync: over ? { key: "time", scales: ["x", null] } : undefined,
      },
      hooks: {
        drawClear: [(u) => this.under(u, over)],
        drawAxes: [(u) => this.above(u, over)],
        setCursor: [(u) => this.read(u)],
        setScale: [(u, key) => key === "x" && over && this.moved(u)],
      },
    };
  }

  /** Room for names above the plot, CSS pixels. */
  get names() {
    return this.spec.named ? NAME_ROW * nameRows() : 0;
  }

  get height() {
    return this.spec.height + this.names;
  }

  /** Below the grid. */
  under(u, over) {
    if (over) drawPhases(u);
    if (this.spec.chance) drawChance(u, this.spec);
  }

  /** On the grid, below the lines. */
  above(u, over) {
    if (this.spec.heat) drawHeat(u, this.spec.heat);
    if (over) drawMarked(u);
    if (this.spec.named) drawNames(u);
  }

  line(series, i) {
    const stroke = colour(series.colour);
    const line = { label: series.label, scale: series.second ? "second" : "y", stroke, width: series.width, dash: DASHES[series.dash] ?? undefined, spanGaps: false, show: !this.hidden.has(i) };
    if (series.fill) line.fill = this.spec.stacked ? stroke : stroke + "55";
    if (!series.width) line.paths = () => null;
    line.points = { show: !series.width ? false : this.spec.kind === "time" ? undefined : series.points === true, size: 4, fill: stroke };
    return line;
  }

  legend() {
    const legend = this.figure.querySelector(".legend");
    this.outputs = this.spec.series.map((series, i) => {
      const output = document.createElement("output");
      if (this.spec.series.length === 1) {
        legend.append(output);
        return output;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.title = "Show or hide this line";
      button.append(swatch(series), series.label, output);
      button.addEventListener("click", () => {
        this.hidden.has(i) ? this.hidden.delete(i) : this.hidden.add(i);
        button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
        if (this.spec.stacked) this.draw(this.log);
        else this.plot.setSeries(i + 1, { show: !this.hidden.has(i) });
      });
      legend.append(button);
      return output;
    });
    if (this.spec.heat) legend.append(heatKey(this.spec.heat));
    this.where = legend.querySelector(".where");
  }

  moved(u) {
    const { min, max } = u.scales.x;
    this.figure.dataset.range = `${min} ${max}`;
    if (this.plot === u) timeline.spread(this);
  }

  /** Writes the values under the cursor into the legend. */
  read(u) {
    const { idx } = u.cursor;
    const at = idx === null || idx === undefined ? null : this.x[idx];
    this.spec.series.forEach((series, i) => {
      this.outputs[i].value = at === null ? "" : this.spec.heat ? heatReadout(u, this.spec.heat, at) : brief(series.values[idx] === null ? null : series.values[idx] * series.factor);
    });
    if (this.spec.kind === "time") timeline.read(at);
    else if (this.where) this.where.value = at === null ? "" : placeName(this.spec, idx, at);
  }

  key(event) {
    const { plot } = this;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const from = plot.valToIdx(plot.scales.x.min);
      const to = plot.valToIdx(plot.scales.x.max);
      const idx = Math.min(to, Math.max(from, (plot.cursor.idx ?? from - step) + step));
      plot.setCursor({ left: plot.valToPos(this.x[idx], "x"), top: plot.bbox.height / devicePixelRatio / 2 }, true, true);
    } else if (this.spec.kind === "time" && (event.key === "+" || event.key === "-")) {
      timeline.zoom(event.key === "+" ? 0.5 : 2, this.x[plot.cursor.idx] ?? null);
    } else if (event.key === "Escape" || event.key === "0") {
      this.spec.kind === "time" ? timeline.reset() : plot.setScale("x", { min: this.x[0], max: this.x.at(-1) });
    } else return;
    event.preventDefault();
  }

  resize() {
    const width = this.holder.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: this.height });
  }
}
