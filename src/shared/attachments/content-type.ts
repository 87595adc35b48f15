/**
 * The type of a content by its first bytes, for the few kinds that this program shows or changes. The type that a client states and the
 * name of the file are no proof.
 */

/** The number of bytes that the check needs. */
const SIGNATURE_BYTES = 32;

export type KnownType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/heic'
  | 'video/mp4'
  | 'video/webm'
  | 'audio/mpeg'
  | 'audio/ogg'
  | 'application/pdf'
  | 'application/zip';

/** Bytes at fixed offsets; all of them must match. Sources: the specifications of the formats. */
const signatures: readonly (readonly [KnownType, ...(readonly [at: number, bytes: string])[]])[] = [
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['image/avif', [4, 'ftypavif']],
  ['image/avif', [4, 'ftypavis']],
  ['image/heic', [4, 'ftypheic']],
  ['image/heic', [4, 'ftypheix']],
  ['image/heic', [4, 'ftypmif1']],
  ['video/mp4', [4, 'ftypisom']],
  ['video/mp4', [4, 'ftypiso2']],
  ['video/mp4', [4, 'ftypmp41']],
  ['video/mp4', [4, 'ftypmp42']],
  ['video/mp4', [4, 'ftypM4V ']],
  ['video/webm', [0, '\x1a\x45\xdf\xa3']],
  ['audio/mpeg', [0, 'ID3']],
  ['audio/ogg', [0, 'OggS']],
  ['application/pdf', [0, '%PDF-']],
  ['application/zip', [0, 'PK\x03\x04']],
];

/** @param first the first bytes, at least `SIGNATURE_BYTES` where there are so many */
export function contentTypeOf(first: Uint8Array): KnownType | undefined {
  const text = Buffer.from(first.buffer, first.byteOffset, Math.min(first.length, SIGNATURE_BYTES)).toString('latin1');
  return signatures.find(([, ...places]) => places.every(([at, bytes]) => text.startsWith(bytes, at)))?.[0];
}
