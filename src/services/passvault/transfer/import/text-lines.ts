/** The position of each line of a text, without its end: LF, CRLF, CR, or CR CR LF, which old LastPass exports have. */
export function* linesOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  const ends = /\r\r\n|\r\n|\n|\r/g;
  let start = 0;
  for (const match of text.matchAll(ends)) {
    yield { start, end: match.index };
    start = match.index + match[0].length;
  }
  yield { start, end: text.length };
}

/** Whether a PEM block (RFC 7468) is open after a line. */
export function staysInPem(line: string, before: boolean): boolean {
  const opened = line.lastIndexOf('-----BEGIN');
  const closed = line.lastIndexOf('-----END');
  return opened === closed ? before : opened > closed;
}

/** Whether a text holds a private key, recognised by its content. */
export function holdsPrivateKey(value: string): boolean {
  return /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(value);
}
