/** Values of properties (RFC 6350 3.4): what has a meaning of its own in them stands behind a backslash. */

/** The parts of a value between separators that mean something, with their escapes. */
export function splitValue(value: string, separator: string): string[] {
  const parts: string[] = [];
  let begun = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === separator) {
      parts.push(value.slice(begun, at));
      begun = at + 1;
    }
  }
  parts.push(value.slice(begun));
  return parts;
}

// oxlint-disable-next-line no-control-regex -- what texts may not have is the purpose
const unwanted = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** As people see it. Control characters, which some programs write, are left out. */
export function unescapeValue(value: string): string {
  return value
    .replaceAll(/\\([\s\S])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))
    .replaceAll(unwanted, '')
    .toWellFormed();
}

export function escapeValue(text: string): string {
  return text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll(/\r\n|\r|\n/g, String.raw`\n`);
}

/** The parts of a name, an address or an organization. A part that is a list is one text. */
export function componentsOf(value: string): string[] {
  return splitValue(value, ';').map((part) =>
    splitValue(part, ',')
      .map((item) => unescapeValue(item).trim())
      .filter((item) => item !== '')
      .join(' '),
  );
}

export function componentValue(parts: readonly string[]): string {
  return parts.map(escapeValue).join(';');
}
