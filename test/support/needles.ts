import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The forms in which a secret could lie in bytes: as it is, in hex, and in base 64 wherever its first byte falls in a group of three. */
function needlesOf(secret: Uint8Array): Buffer[] {
  const raw = Buffer.from(secret);
  const hex = raw.toString('hex');
  const grouped = [0, 1, 2].flatMap((shift) => {
    const whole = raw.subarray((3 - shift) % 3);
    const text = whole.subarray(0, whole.length - (whole.length % 3)).toString('base64');
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [raw, ...[hex, hex.toUpperCase(), ...new Set(grouped)].map((text) => Buffer.from(text))];
}

/** The names of the secrets that are somewhere in the bytes. */
export function foundIn(bytes: Uint8Array, secrets: ReadonlyMap<string, Uint8Array>): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return [...secrets]
    .filter(([, secret]) => needlesOf(secret).some((needle) => buffer.includes(needle)))
    .map(([name]) => name);
}

/** The files of a data directory whose server may be running, by their paths there. */
export async function storedBytes(dataDir: string): Promise<Map<string, Uint8Array>> {
  const places = new Map<string, Uint8Array>();
  for (const entry of await readdir(dataDir, { recursive: true }))
    try {
      places.set(entry, await readFile(join(dataDir, entry)));
    } catch (error) {
      // Beside files there are folders and a socket, and the server may put a file in the place of another meanwhile.
      if (!['EISDIR', 'ENXIO', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  return places;
}
