// SPDX-License-Identifier: Apache-2.0
// The page's data, embedded as JSON. `page.seconds` is the time axis: every `step`th second from the start of the measure
// phase.

const page = JSON.parse(document.getElementById("data").textContent);
page.seconds = Array.from({ length: page.count }, (_, i) => page.first + i * (page.step ?? 1));
