// SPDX-License-Identifier: Apache-2.0
// Colours come from the style sheet, so charts follow the light, dark and paper themes.

const DASHES = { solid: null, dashed: [6, 4], dotted: [1.5, 3.5] };

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function font() {
  return "11px " + colour("sans");
}

/** The legend's sample of a line, drawn like the line itself. */
function swatch(series) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 18 8");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg.namespaceURI, "line");
  const marks = { x1: 1, x2: 17, y1: 4, y2: 4, "stroke-linecap": "round", "stroke-width": series.fill ? 6 : series.width + 0.6 };
  for (const [name, value] of Object.entries(marks)) line.setAttribute(name, value);
  if (DASHES[series.dash]) line.setAttribute("stroke-dasharray", DASHES[series.dash].join(" "));
  line.style.stroke = `var(--${series.colour})`;
  svg.append(line);
  return svg;
}
