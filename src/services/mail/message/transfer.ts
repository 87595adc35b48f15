const EQUALS = 61;
const CR = 13;
const LF = 10;

/** Decodes what a Content-Transfer-Encoding says, lower case. Every octet has a meaning: what is wrong is skipped, or stays as it is. */
export function decodeTransfer(octets: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return fromBase64(octets);
  return encoding === 'quoted-printable' ? fromQuotedPrintable(octets) : octets;
}

function fromBase64(octets: Buffer): Buffer {
  const text = octets.toString('latin1').replaceAll(/[^A-Za-z0-9+/=]+/g, '');
  // Some programs put padding in the middle, at the end of each line or of what they encode at once.
  if (!/=[^=]/.test(text)) return Buffer.from(text, 'base64');
  const decoded = Buffer.alloc(Math.ceil((text.length * 3) / 4));
  let size = 0;
  for (const { 0: unit } of text.matchAll(/[^=]+/g)) size += decoded.write(unit, size, 'base64');
  return decoded.subarray(0, size);
}

function fromQuotedPrintable(octets: Buffer): Buffer {
  const decoded = Buffer.alloc(octets.length);
  let size = 0;
  let at = 0;
  while (at < octets.length) {
    const octet = octets[at] ?? 0;
    const lineEnd = octet === EQUALS ? softBreak(octets, at + 1) : -1;
    const value = octet === EQUALS && lineEnd === -1 ? hexAt(octets, at + 1) : -1;
    if (lineEnd !== -1) at = lineEnd;
    else {
      decoded[size] = value === -1 ? octet : value;
      size += 1;
      at += value === -1 ? 1 : 3;
    }
  }
  return decoded.subarray(0, size);
}

/** @returns what comes after a line end here, which may have blanks before it that a server added; -1 if there is none */
function softBreak(octets: Buffer, start: number): number {
  let at = start;
  // No more blanks than a line has: otherwise many signs before many blanks would be quadratic.
  while (at < start + 80 && (octets[at] === 32 || octets[at] === 9)) at += 1;
  if (octets[at] === CR && octets[at + 1] === LF) return at + 2;
  return octets[at] === LF ? at + 1 : -1;
}

function hexAt(octets: Buffer, at: number): number {
  return Buffer.from(octets.toString('latin1', at, at + 2), 'hex')[0] ?? -1;
}
