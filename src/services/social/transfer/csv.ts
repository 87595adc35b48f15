/** RFC 4180. Spreadsheets take a text for a formula by its first character. */
export function csvCell(text: string): string {
  const harmless = /^\s*[=+\-@|%\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
