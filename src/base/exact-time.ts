/** Parses a time in exactly the form of `toISOString`: milliseconds since 1970, or undefined for every other form. */
export function exactTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length !== 24) return undefined;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text ? at : undefined;
}
