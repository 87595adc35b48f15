/**
 * Control characters, terminal escapes, line separators, and marks that reorder or hide text. Text from other people must not move the
 * cursor, set the title, or look like another line.
 */
const harmful =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}|[\u{e0000}-\u{e007f}]/gu;

/** Makes control characters of a foreign text visible and keeps the text on one line. */
export function escapeForTerminal(text: string): string {
  return text.replaceAll(harmful, escaped);
}

/** As `escapeForTerminal`, for text that may have several lines. */
export function escapeLinesForTerminal(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => escapeForTerminal(line))
    .join('\n');
}

/**
 * JSON that is also safe on a terminal. Characters that `escapeForTerminal` would change, and `JSON.stringify` would not, become `\u`
 * escapes. The result is one line if `indent` is 0.
 */
export function escapedJson(data: unknown, indent = 2): string {
  return JSON.stringify(data, null, indent).replaceAll(harmful, (character) =>
    character === '\n' ? character : utf16(character),
  );
}

function utf16(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
