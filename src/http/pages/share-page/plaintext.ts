import { CHUNK, sealedLength, segmentsOf } from '../../../crypto/formats/file-content/chunk-format.ts';
import { blockLabel, plainBlockSize } from '../../../crypto/formats/file-content/content-format.ts';
import { openHead, openSegmentAt } from './chunked.ts';
import { LinkFailure } from './failure.ts';
import { joined, utf8Of, type Octets } from './octets.ts';
import type { Opened } from './opening.ts';
import type { Source } from './source.ts';

/** Segments that are decrypted side by side: 1 MiB. One at a time, WebCrypto waits for its threads more than it works. */
const AT_ONCE = 64;
/** The first are few, so that a download begins soon on a slow line. */
const AT_FIRST = 4;
const PIECE = AT_ONCE * CHUNK.segmentBytes;

/**
 * The file, piece by piece. Each piece was authenticated before it is given out: its segments have tags under the key of the content, and
 * the header of each block commits to that key, its place and its file. So the hashes of the manifest are not compared: they could differ only
 * if somebody who has the key had sealed another block. How many bytes there must be is the manifest's word.
 *
 * @throws LinkFailure damaged, and those of the source
 */
export async function* plaintextOf(source: Source, { key, named, shape }: Opened): AsyncGenerator<Octets> {
  for (let place = 0; place < shape.blocks; place += 1) {
    const keys = await openHead(key, utf8Of(blockLabel(named, place)), await source.read(CHUNK.headerBytes));
    if (keys === undefined) throw new LinkFailure('damaged');
    const size = plainBlockSize(shape, place);
    const segments = segmentsOf(size);
    let left = sealedLength(size) - CHUNK.headerBytes;
    for (let first = 0, count = place === 0 ? AT_FIRST : AT_ONCE; first < segments; first += count, count = AT_ONCE) {
      const sealed = await source.read(Math.min(left, count * (CHUNK.segmentBytes + CHUNK.tagBytes)));
      left -= sealed.length;
      const opened = await Promise.all(
        partsOf(sealed).map(async (part, index) => await openSegmentAt(keys, first + index, part)),
      );
      if (!opened.every((segment) => segment !== undefined)) throw new LinkFailure('damaged');
      yield joined(...opened);
    }
  }
  await source.end();
}

/** The last segment of a block is shorter, and may be its tag alone: its place is the only sign of where a block ends. */
function partsOf(sealed: Octets): Octets[] {
  const whole = CHUNK.segmentBytes + CHUNK.tagBytes;
  const parts: Octets[] = [];
  for (let at = 0; at < sealed.length; at += whole) parts.push(sealed.subarray(at, at + whole));
  return parts;
}

/** A file that the server has decrypted itself. */
export async function* asItComes(source: Source, size: number): AsyncGenerator<Octets> {
  for (let left = size; left > 0; left -= Math.min(left, PIECE)) yield await source.read(Math.min(left, PIECE));
  await source.end();
}
