export function calendarSpaceName(calendarId: string): string {
  return `calendar:${calendarId}`;
}
