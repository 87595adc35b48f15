import type { Upload } from '../../../service/raw-bodies.ts';
import type { Filled } from './form.ts';

/** Fields of a form, the last of each name. Browsers send line ends of two characters. */
export async function readForm(upload: Upload): Promise<Filled> {
  const pieces: Uint8Array[] = [];
  for await (const piece of upload.body) pieces.push(piece);
  const entries = [...new URLSearchParams(Buffer.concat(pieces).toString('utf8'))];
  const filled: Record<string, string> = {};
  for (const [name, value] of entries)
    Object.defineProperty(filled, name, {
      value: value.replaceAll('\r\n', '\n'),
      enumerable: true,
      configurable: true,
    });
  return filled;
}
