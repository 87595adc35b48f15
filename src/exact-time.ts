/** Milliseconds since 1970 of a moment as `toISOString` writes it; undefined for every other spelling. */
export function exactTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length !== 24) return undefined;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text ? at : undefined;
}
