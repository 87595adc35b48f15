import type { Work } from '../../../service/ports/task.ts';
import { Problem } from '../../../base/problem.ts';
import type { CleanMovie } from '../tasks.ts';
import { damagedMedia } from './byte-reader.ts';
import { firstBlockAlone } from './sound-notes.ts';

/** What to do with a box: keep it as it is, change its content in place, or look at the boxes in it. */
type Rule = 'keep' | ((content: Buffer) => void) | Rules;

interface Rules {
  readonly [type: string]: Rule;
}

/** Boxes of a sample description that say how to decode. */
const decoding = 'avcC hvcC vpcC av1C esds pasp colr clap btrt dOps dac3 dec3 alac fiel chan mdcv clli';
const described: Rules = { ...keep(decoding), dfLa: (content) => firstBlockAlone(content.subarray(4)) };

const sampleTable = keep('stts ctts cslg stss stsc stsz stz2 stco co64 sdtp sbgp sgpd stps subs saiz saio padb');

/**
 * The boxes of ISO/IEC 14496-12 that are needed to play. All others become free space of the same length, so that no place in the file
 * moves: user data (`udta`, with the place where it was recorded), `meta`, `uuid` and what programs add.
 */
const movieRules = (found: Found): Rules => ({
  mvhd: withoutTimes,
  mvex: keep('mehd trex leva'),
  trak: {
    tkhd: (content) => {
      withoutTimes(content);
      found.headers.push(content);
    },
    edts: keep('elst'),
    mdia: {
      mdhd: withoutTimes,
      hdlr: (content) => void found.handlers.push(handlerOf(content)),
      minf: {
        ...keep('vmhd smhd'),
        dinf: { dref: assertInside },
        stbl: { ...sampleTable, stsd: (content) => cleanDescriptions(content, found) },
      },
    },
  },
});

/** A fragment (`moof`) and the index of fragments (`mfra`). */
const fragmentRules: Rules = { mfhd: 'keep', traf: keep('tfhd tfdt trun sbgp sgpd saiz saio senc subs sdtp') };
const fragmentIndexRules = keep('tfra mfro');

interface Found {
  /** the track headers and handlers, in their order */
  readonly headers: Buffer[];
  readonly handlers: string[];
}

function keep(types: string): Rules {
  return Object.fromEntries(types.split(' ').map((type) => [type, 'keep']));
}

/**
 * Removes the metadata of an index (`moov`), in place.
 * @throws Problem invalid MEDIA_DAMAGED, unsupported UNSUPPORTED_MEDIA_TYPE for tracks that are neither pictures nor sound: such tracks
 *   hold what a camera measured, and their samples lie between those of the others
 */
export function cleanMovie(moov: Uint8Array<ArrayBuffer>): CleanMovie {
  const found: Found = { headers: [], handlers: [] };
  clean(bufferOf(moov), movieRules(found));
  if (found.handlers.length === 0 || found.headers.length !== found.handlers.length)
    throw damagedMedia('its tracks are not complete');
  if (found.handlers.some((type) => type !== 'vide' && type !== 'soun')) {
    const words =
      'The video has a track that is neither pictures nor sound, such as places that a camera noted. Export it without that track.';
    throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', words);
  }
  const at = found.handlers.indexOf('vide');
  const header = found.headers[at];
  return { bytes: moov, hasVideo: at >= 0, ...(header === undefined ? { width: 0, height: 0 } : sidesOf(header)) };
}

/** Removes the metadata of a fragment or an index of fragments, in place. @throws Problem invalid MEDIA_DAMAGED */
export function cleanFragment(type: 'moof' | 'mfra', bytes: Buffer): void {
  clean(bytes, type === 'moof' ? fragmentRules : fragmentIndexRules);
}

/** @param bytes boxes, one after the other */
function clean(bytes: Buffer, rules: Rules): void {
  for (let at = 0; at < bytes.length;) {
    if (at + 8 > bytes.length) throw damagedMedia('a box breaks off');
    let size = bytes.readUInt32BE(at);
    let head = 8;
    if (size === 1 && at + 16 <= bytes.length) {
      size = bytes.readUInt32BE(at + 8) * 2 ** 32 + bytes.readUInt32BE(at + 12);
      head = 16;
    }
    if (size < head || at + size > bytes.length) throw damagedMedia('a box has another length than it says');
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + head, at + size);
    const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
    if (rule === undefined) {
      bytes.write('free', at + 4, 'latin1');
      content.fill(0);
    } else if (typeof rule === 'function') rule(content);
    else if (rule !== 'keep') clean(content, rule);
    at += size;
  }
}

/** When it was made and changed, in `mvhd`, `tkhd` and `mdhd`. */
function withoutTimes(content: Buffer): void {
  const bytes = content[0] === 1 ? 16 : 8;
  if (content.length < 4 + bytes + 4) throw damagedMedia('a header is too short');
  content.fill(0, 4, 4 + bytes);
}

/** @returns the kind of the track. Its name, which programs choose, is removed. */
function handlerOf(content: Buffer): string {
  if (content.length < 20) throw damagedMedia('a handler is too short');
  content.fill(0, 20);
  return content.toString('latin1', 8, 12);
}

/** The samples must be in the file itself, and not at an address. */
function assertInside(content: Buffer): void {
  const count = content.length < 8 ? 0 : content.readUInt32BE(4);
  const isInside = content.length === 8 + 12 && content.toString('latin1', 12, 16) === 'url ' && content[19] === 1;
  if (count !== 1 || !isInside) throw damagedMedia('its samples are elsewhere');
}

/** How the samples are coded: `stsd`, with an entry for each way. */
function cleanDescriptions(content: Buffer, { handlers }: Found): void {
  // The handler of a track stands before its samples; for any other order the kind is not known here.
  const fixed = handlers.at(-1) === 'vide' ? 78 : 28;
  for (let at = 8; at < content.length;) {
    const size = at + 8 <= content.length ? content.readUInt32BE(at) : 0;
    if (size < 8 + fixed || at + size > content.length) throw damagedMedia('a sample description is cut off');
    // The name of the compressor, 32 bytes, is what a program chose.
    if (fixed === 78) content.fill(0, at + 8 + 42, at + 8 + 74);
    clean(content.subarray(at + 8 + fixed, at + size), described);
    at += size;
  }
}

/** The sides in a track header, in 16.16 fixed point after the matrix, which may turn the picture. */
function sidesOf(header: Buffer): { readonly width: number; readonly height: number } {
  const matrix = header[0] === 1 ? 52 : 40;
  if (header.length < matrix + 44) throw damagedMedia('a track header is too short');
  const [width, height] = [header.readUInt16BE(matrix + 36), header.readUInt16BE(matrix + 40)];
  const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Runs in a thread, which transfers the index. */
export const movieWork: Work<Uint8Array<ArrayBuffer>, CleanMovie> = (moov, { transfer }) => {
  const movie = cleanMovie(moov);
  transfer.push(movie.bytes.buffer);
  return movie;
};
