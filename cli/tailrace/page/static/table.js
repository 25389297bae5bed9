// SPDX-License-Identifier: Apache-2.0
// The data table under a chart, built when it is first opened: 36 hours of seconds would slow the page.

const ROWS_SHOWN = 5000;
const HEADS = { time: ["Time (UTC)", "From start"], percentile: ["Percentile"], lag: ["Lag"], place: ["Partition"] };

function cell(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** No decimals for a column of whole numbers, else three. */
function digits(series) {
  return series.factor === 1 && series.values.every((value) => value === null || Number.isInteger(value)) ? 0 : 3;
}

function rowHead(chart, i) {
  const x = chart.x[i];
  if (chart.spec.kind === "time") return [clock(x), elapsed(x)];
  return [placeName(chart.spec, i, x)];
}

function dataTable(chart) {
  const table = document.createElement("table");
  const { spec } = chart;
  const cut = chart.x.length > ROWS_SHOWN ? ` First ${grouped(ROWS_SHOWN, 0)} of ${grouped(chart.x.length, 0)} rows; the query gives all.` : "";
  table.append(cell("caption", `${spec.title}, ${spec.unit}.${cut}`));
  const head = table.createTHead().insertRow();
  for (const title of HEADS[spec.kind]) head.append(cell("th", title, { scope: "col" }));
  for (const series of spec.series) head.append(cell("th", series.label, { scope: "col", class: "n" }));
  const body = table.createTBody();
  const places = spec.series.map(digits);
  for (let i = 0; i < Math.min(chart.x.length, ROWS_SHOWN); i++) {
    const row = body.insertRow();
    rowHead(chart, i).forEach((text, k) => row.append(k ? cell("td", text) : cell("th", text, { scope: "row" })));
    spec.series.forEach((series, k) => {
      const value = series.values[i];
      row.append(cell("td", value === null ? MISSING : grouped(value * series.factor, places[k], true), { class: "n" }));
    });
  }
  return table;
}

function fillTable(chart) {
  const box = chart.figure.querySelector("details.data .scroll");
  if (box && !box.firstChild) box.append(dataTable(chart));
}

function tableOnDemand(chart) {
  const details = chart.figure.querySelector("details.data");
  details?.addEventListener("toggle", () => details.open && fillTable(chart));
}
