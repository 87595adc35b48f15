import { Problem } from '../../../base/problem.ts';
import { cleanedMovie } from '../off-thread.ts';
import type { CleanMovie } from '../tasks.ts';
import { damagedMedia } from './byte-reader.ts';
import { MOST_PARTS, type Cleaner } from './cleaner.ts';
import { cleanFragment } from './movie.ts';

/** Bytes of an index. That of 100 MiB has about one. */
const MOST_MOVIE = 8 * 1024 ** 2;
const MOST_FRAGMENT = 256 * 1024;
const MOST_TYPE = 1024;

/**
 * MP4 (ISO/IEC 14496-12 and -14) without metadata. Every box keeps its length, because the index has places in the file: what is not
 * needed to play becomes free space. The samples (`mdat`) are passed on as they are.
 */
export const cleanMp4: Cleaner = async function* (bytes, offload) {
  let movie: CleanMovie | undefined;
  for (let parts = 0; !(await bytes.isAtEnd()); parts += 1) {
    if (parts > MOST_PARTS) throw damagedMedia('it has too many parts');
    const { head, type, size } = await boxHead(await bytes.read(8), async () => await bytes.read(8));
    if (parts === 0 && type !== 'ftyp') throw damagedMedia('it does not say what it is');
    switch (type) {
      case 'ftyp':
      case 'styp':
      case 'sidx': {
        const content = await bytes.read(within(size, type === 'sidx' ? MOST_FRAGMENT : MOST_TYPE));
        yield Buffer.concat([head, content]);
        break;
      }
      case 'mdat':
        yield head;
        yield* size === undefined ? bytes.rest() : bytes.pass(size);
        break;
      case 'moov': {
        if (movie !== undefined) throw damagedMedia('it has two indexes');
        const content = await bytes.read(within(size, MOST_MOVIE));
        // A small buffer may lie in memory that others use.
        movie = await cleanedMovie(offload, new Uint8Array(content));
        yield head;
        yield movie.bytes;
        break;
      }
      case 'moof':
      case 'mfra': {
        const content = await bytes.read(within(size, MOST_FRAGMENT));
        cleanFragment(type, content);
        yield Buffer.concat([head, content]);
        break;
      }
      default:
        head.write('free', 4, 'latin1');
        yield head;
        yield* bytes.blank(within(size, Number.MAX_SAFE_INTEGER));
    }
  }
  if (movie === undefined) throw damagedMedia('it has no index');
  return { type: movie.hasVideo ? 'video/mp4' : 'audio/mp4', width: movie.width, height: movie.height };
};

/** @returns the size of the content; undefined: to the end of the file, which only samples may */
async function boxHead(
  short: Buffer,
  more: () => Promise<Buffer>,
): Promise<{ readonly head: Buffer; readonly type: string; readonly size: number | undefined }> {
  const type = short.toString('latin1', 4, 8);
  const size = short.readUInt32BE(0);
  if (size === 0) return { head: short, type, size: undefined };
  if (size !== 1) return { head: short, type, size: positive(size - 8) };
  const long = await more();
  const whole = long.readUInt32BE(0) * 2 ** 32 + long.readUInt32BE(4);
  if (whole > Number.MAX_SAFE_INTEGER) throw damagedMedia('a box has another length than it says');
  return { head: Buffer.concat([short, long]), type, size: positive(whole - 16) };
}

function positive(size: number): number {
  if (size < 0) throw damagedMedia('a box has another length than it says');
  return size;
}

function within(size: number | undefined, most: number): number {
  if (size === undefined) throw damagedMedia('a box has no end');
  if (size <= most) return size;
  throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', 'The index of the video is too large.');
}
