import { isUtf8 } from 'node:buffer';
import { windows1252 } from '../../../base/windows-1252.ts';

/** Encodings of texts in files of old programs. */

/** One character for each byte: what is not known to be in some encoding. */
function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/**
 * Reads bytes. Without a name of an encoding, or with one that nobody knows, they are UTF-8, or windows-1252 if they are not.
 * @param name such as `ISO-8859-15`
 */
export function decoded(bytes: Uint8Array, name?: string): string {
  const label = name?.trim().toLowerCase() ?? '';
  if (label !== '' && !/^(?:utf-?8|us-ascii|ascii|iso-?8859-?1|latin-?1|windows-1252|cp-?1252)$/.test(label)) {
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // Nobody knows it.
    }
  }
  if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
  return binary(bytes).replaceAll(/[\u0080-\u009f]/g, (character) => {
    const known = windows1252[character.charCodeAt(0) - 0x80] ?? ' ';
    return known === ' ' ? '\ufffd' : known;
  });
}

/**
 * The text of a file of vCards. In UTF-8 and UTF-16 it is read as a whole; otherwise each vCard has its own encodings.
 * @returns `binary`: one character for each byte
 */
export function fileText(bytes: Uint8Array): { readonly text: string; readonly form: 'text' | 'binary' } {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), form: 'text' };
  if (first === 0xfe && second === 0xff)
    return {
      text: Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
        .swap16()
        .toString('utf16le'),
      form: 'text',
    };
  if (!isUtf8(bytes)) return { text: binary(bytes), form: 'binary' };
  return {
    text: Buffer.from(bytes)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
    form: 'text',
  };
}
