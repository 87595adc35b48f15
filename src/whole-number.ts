/**
 * The whole number that a text writes: decimal digits and nothing else. What came from outside is read with this and never with
 * `Number`, to which '', ' 7 ', '0x10', '1e3' and null are numbers as well.
 * @returns undefined for everything else, and for what is below 0, above `max` or not exact
 */
export function wholeNumber(
  text: string | null | undefined,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

/** The same for a number that may be below zero and have decimals, as people type it: `-1.5`. */
export function plainNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}
