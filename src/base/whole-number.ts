/**
 * Parses a whole number: decimal digits and nothing else. Input from outside is parsed with this function and never with `Number`,
 * because `Number` also accepts '', ' 7 ', '0x10', '1e3' and null.
 * @returns undefined for every other text, and for a number below 0, above `max` or beyond exact integers
 */
export function wholeNumber(
  text: string | null | undefined,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

/** Parses a number that may be negative and have decimals, as people type it: `-1.5`. */
export function plainNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}
