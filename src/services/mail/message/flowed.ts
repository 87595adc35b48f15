const SIGNATURE = '-- ';

/**
 * Joins the lines of `format=flowed` text to paragraphs (RFC 3676). A paragraph ends with a line that has no blank at its end, before a line
 * that is quoted more or less deeply (4.5), before and after the line over a signature (4.3), and before an empty line: strictly the empty line
 * would end the paragraph and not be seen, but whoever leaves a blank at the end of a paragraph means it. Quoted lines begin with `>` for each
 * level and a blank.
 * @param delSp the blank at the end of a line is no part of the text (4.2), as in languages that are written without blanks
 */
export function unflowed(text: string, delSp: boolean): string {
  // No string is made longer line by line, since looking at its end would copy it each time.
  const parts: string[] = [];
  let depth = 0;
  let isOpen = false;
  let isFirst = true;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length + 1 : newline + 1;
    const end = newline === -1 ? text.length : text[newline - 1] === '\r' && newline > at ? newline - 1 : newline;
    const quotes = quotesAt(text, at, end);
    const start = at + quotes;
    // 4.4: a blank that was put before a line is taken away after the quotes are counted, and before the end is looked at.
    const line = text.slice(text[start] === ' ' && start < end ? start + 1 : start, end);
    const isSignature = line === SIGNATURE;
    const isNew = !isOpen || quotes !== depth || isSignature || line === '';
    if (isNew && !isFirst) parts.push('\n');
    if (isNew && quotes > 0) parts.push('>'.repeat(quotes), line === '' ? '' : ' ');
    isOpen = line.endsWith(' ') && !isSignature;
    parts.push(isOpen && delSp ? line.slice(0, -1) : line);
    depth = quotes;
    isFirst = false;
    at = next;
  }
  return parts.join('');
}

function quotesAt(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text[at] === '>') at += 1;
  return at - start;
}
