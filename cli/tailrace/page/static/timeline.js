// SPDX-License-Identifier: Apache-2.0
// The time axis that all charts over time share.

const timeline = {
  charts: [],
  spreading: false,
  toolbar: document.querySelector(".toolbar"),

  full() {
    return [page.seconds[0], page.seconds.at(-1)];
  },

  /** Copies the range of one chart to all others. */
  spread(source) {
    if (this.spreading) return;
    const { min, max } = source.plot.scales.x;
    this.show(min, max);
  },

  show(min, max) {
    const [first, last] = this.full();
    const [from, to] = [Math.max(first, min), Math.min(last, max)];
    if (!(to > from)) return;
    this.spreading = true;
    for (const { plot } of this.charts) {
      const { x } = plot.scales;
      if (x.min !== from || x.max !== to) plot.setScale("x", { min: from, max: to });
    }
    // uPlot commits scales in a microtask: hold the guard until those have run.
    queueMicrotask(() => queueMicrotask(() => (this.spreading = false)));
    this.toolbar.querySelector(".reset").disabled = from === first && to === last;
  },

  reset() {
    this.show(...this.full());
  },

  zoom(factor, around) {
    const { min, max } = this.charts[0].plot.scales.x;
    const centre = around ?? (min + max) / 2;
    const half = Math.max(1.5, ((max - min) * factor) / 2);
    this.show(centre - half, centre + half);
  },

  read(at) {
    this.toolbar.querySelector(".readout").value = at === null ? "" : [clock(at) && `${clock(at)} UTC`, elapsed(at)].filter(Boolean).join(" · ");
  },
};
