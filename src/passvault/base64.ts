import { invalidField } from './problems.ts';

/** @throws Problem invalid VALIDATION_ERROR for anything but base 64 (RFC 4648, section 4; line ends and missing padding are fine) */
export function fromBase64(field: string, text: string): Uint8Array {
  const bare = text.replaceAll(/[\r\n]/g, '').replace(/={1,2}$/, '');
  const bytes = Buffer.from(bare, 'base64');
  // Node skips what it doesn't know; what it read must be what was there.
  if (bytes.toString('base64').replace(/={1,2}$/, '') !== bare) throw invalidField(field, 'must be base 64');
  return bytes;
}
