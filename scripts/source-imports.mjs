const STATIC = /^(?:import|export)\b(?!\s+type\b)(?:[^'"`;]*?\bfrom)?\s*['"](?<target>\.[^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"](?<target>\.[^'"]+)['"]/g;

/** The sources that a text names, of those that it loads before it runs. Types are no part of a program. */
export function loadedNow(text) {
  return targetsIn(text, STATIC);
}

/** The same of those that it loads by import(). */
export function loadedLater(text) {
  return targetsIn(text, DYNAMIC);
}

/** What the group `target` of a pattern finds in a text. */
export function targetsIn(text, pattern) {
  return Array.from(text.matchAll(pattern), ({ groups }) => groups.target);
}
