import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { pngParts } from './png.ts';
import { Unreadable } from './unreadable.ts';

/** What decides on the pixels (ISO/IEC 15948, 11.2 and 11.3.2.1). Of the other chunks, a colour profile alone unpacks to gigabytes. */
const kept: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** Real images have some thousands at most. */
const MOST_CHUNKS = 200_000;

/** @returns a PNG of what decides on its pixels. @throws MalformedImage, Unreadable */
export function pictureOnly(image: Buffer): Buffer {
  const parts: Buffer[] = [];
  let chunks = 0;
  for (const part of pngParts(image)) {
    if (part instanceof Uint8Array) continue;
    if ((chunks += 1) > MOST_CHUNKS) throw new Unreadable('it has too many chunks');
    const chunk = image.subarray(part.start, part.end);
    // The first is the signature.
    if (part.start === 0 || kept.has(typeOf(chunk))) parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/**
 * The decoder unpacks what is left over after the last pixel as well, and 20 MiB can be 20 GiB.
 * @param image with the chunks of a picture alone
 * @param most bytes
 * @throws Unreadable
 */
export async function assertUnpacked(image: Buffer, most: number): Promise<void> {
  let unpacked = 0;
  try {
    const data = Readable.from(dataOf(image)).pipe(createInflate({ chunkSize: 256 * 1024 }));
    for await (const piece of data as AsyncIterable<Uint8Array>) {
      unpacked += piece.length;
      if (unpacked > most) break;
    }
  } catch (cause) {
    throw new Unreadable('it is damaged', { cause });
  }
  if (unpacked > most) throw new Unreadable('it has more data than pixels');
}

function* dataOf(image: Buffer): Generator<Uint8Array> {
  for (const part of pngParts(image)) {
    if (part instanceof Uint8Array || part.start === 0) continue;
    const chunk = image.subarray(part.start, part.end);
    if (typeOf(chunk) === 'IDAT') yield chunk.subarray(8, -4);
  }
}

function typeOf(chunk: Buffer): string {
  return chunk.toString('latin1', 4, 8);
}
