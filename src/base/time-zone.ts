/**
 * The name of an IANA time zone with the letters' case corrected; undefined if there is no such zone. An alias is not resolved
 * (`Asia/Kolkata` would become `Asia/Calcutta`).
 */
export function timeZoneNamed(value: string): string | undefined {
  // Only newer engines accept offsets (`+01:00`), and the time zone database doesn't have them.
  if (!/^[A-Za-z]/.test(value)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
