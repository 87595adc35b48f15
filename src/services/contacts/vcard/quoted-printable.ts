/** What bytes in quoted-printable (RFC 2045 6.7) mean. What is no code of a byte stays as it is. */
export function quotedPrintable(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes);
  const decoded = Buffer.alloc(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digits = text[at] === 0x3d ? text.toString('latin1', at + 1, at + 3) : '';
    const isCode = /^[0-9a-f]{2}$/i.test(digits);
    decoded[length] = (isCode ? Buffer.from(digits, 'hex')[0] : text[at]) ?? 0;
    length += 1;
    if (isCode) at += 2;
  }
  return decoded.subarray(0, length);
}
