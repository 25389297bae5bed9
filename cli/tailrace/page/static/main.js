// SPDX-License-Identifier: Apache-2.0
// Draws the page's charts and keeps them in step with scale, theme and paper.

const charts = [];
let logarithmic = true;

for (const figure of document.querySelectorAll("figure.chart")) {
  const spec = page.charts.find(({ id }) => id === figure.id);
  const chart = new Chart(figure, spec);
  charts.push(chart);
  if (spec.kind === "time") timeline.charts.push(chart);
  tableOnDemand(chart);
}

function drawAll() {
  for (const chart of charts) chart.draw(logarithmic);
}

drawAll();
timeline.toolbar?.querySelector(".reset").addEventListener("click", () => timeline.reset());
for (const choice of document.querySelectorAll("input[name=scale]")) {
  choice.addEventListener("change", () => {
    logarithmic = choice.value === "log";
    for (const chart of timeline.charts) chart.draw(logarithmic);
  });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

// Paper is light and narrower than the window, and a canvas does not reflow.
const PAPER = 650;
// Paper shows all details open, except long data tables of charts, which would fill pages. The line below a chart names
// the query of its values.
const PAPER_ROWS = 12;
function openForPaper(printing) {
  for (const details of document.querySelectorAll(printing ? "details:not([open])" : "details[data-paper]")) {
    const chart = charts.find(({ figure }) => figure.contains(details));
    if (printing && chart?.x.length > PAPER_ROWS) continue;
    if (printing && chart) fillTable(chart);
    details.open = printing;
    details.toggleAttribute("data-paper", printing);
  }
}
function forPaper(printing) {
  openForPaper(printing);
  document.documentElement.classList.toggle("printing", printing);
  for (const chart of charts) {
    const part = chart.figure.closest(".two, .even") ? 0.54 : 1;
    chart.draw(logarithmic);
    if (printing) chart.plot.setSize({ width: PAPER * part, height: chart.height });
    else chart.resize();
  }
}
addEventListener("beforeprint", () => forPaper(true));
addEventListener("afterprint", () => forPaper(false));
