import { isUtf8 } from 'node:buffer';
import { notImportable } from './import-run.ts';

/**
 * The file as UTF-8 without a byte order mark. UTF-16 is recognised by its mark. Invalid UTF-8 stays unchanged: its valid records can still
 * be read, and the others are reported instead of being filled with replacement characters.
 */
export function toUtf8(bytes: Uint8Array): { readonly bytes: Buffer; readonly valid: boolean } {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file[0] === 0xff && file[1] === 0xfe) return { bytes: fromUtf16(file.subarray(2), 'utf-16le'), valid: true };
  if (file[0] === 0xfe && file[1] === 0xff) return { bytes: fromUtf16(file.subarray(2), 'utf-16be'), valid: true };
  const marked = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
  return { bytes: marked ? file.subarray(3) : file, valid: isUtf8(file) };
}

function fromUtf16(bytes: Buffer, encoding: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw notImportable('The file is marked as UTF-16, but is not.', error);
  }
}

/** Decodes base64 with or without padding; undefined for any other text. */
export function fromBase64(text: string): Buffer | undefined {
  const compact = text.replaceAll(/[\s=]+/g, '');
  // Buffer.from skips unknown characters, hence the check.
  if (compact.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64');
}
