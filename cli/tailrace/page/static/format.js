// SPDX-License-Identifier: Apache-2.0
// Formats of numbers and times on axes, in legends and in tables.

const MISSING = "–";

function grouped(value, digits, fixed = false) {
  const decimals = { maximumFractionDigits: digits, minimumFractionDigits: fixed ? digits : 0 };
  return value.toLocaleString("en-GB", decimals).replace("-", "−");
}

/** A value to three significant digits; whole numbers keep all digits. */
function brief(value) {
  if (value === null || value === undefined) return MISSING;
  const size = Math.abs(value);
  return grouped(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** A short value for an axis. */
function compact(value) {
  return Math.abs(value) >= 1e6 ? grouped(value / 1e6, 2) + " M" : grouped(value, 4);
}

/** Seconds since the start of the measure phase as [h:]mm:ss with a sign. */
function elapsed(seconds) {
  const whole = Math.abs(Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n) => String(n).padStart(2, "0");
  return (seconds < 0 ? "−" : "") + (h ? `${h}:${two(m)}` : m) + ":" + two(s);
}

/** Time of day; empty on a page about several runs. */
function clock(seconds) {
  if (page.origin === null) return "";
  return new Date((page.origin + seconds) * 1000).toISOString().slice(11, 19);
}

/** 1/(1−p) as a percentile: 100 → "99 %". */
function percentile(x) {
  const digits = Math.min(6, Math.max(0, Math.ceil(Math.log10(x)) - 1));
  return Number((100 * (1 - 1 / x)).toFixed(digits)) + " %";
}
