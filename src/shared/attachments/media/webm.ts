import { Problem } from '../../../base/problem.ts';
import { damagedMedia } from './byte-reader.ts';
import { MOST_PARTS, type Cleaner } from './cleaner.ts';
import { blankVorbisHead, firstBlockAlone } from './sound-notes.ts';
import { elementsOf, HEAD_BYTES, readHead, voidHead, type ElementRules } from './ebml.ts';

/** Ids of elements (RFC 9559), with the marks of their length. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  trackType: 0x83,
  codec: 0x86,
  codecHead: 0x63a2,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
} as const;

/** Of a segment and of its clusters: the places of the other elements, cues, times, and the coded blocks. */
const passed: ReadonlySet<number> = new Set([0x114d9b74, 0x1c53bb6b, 0xe7, 0xa7, 0xab, 0xa3, 0xa0]);

/** Bytes of what says that it is WebM. */
const MOST_TYPE = 1024;
/** Bytes of the information and of the tracks. */
const MOST_HEAD = 1024 ** 2;

const infoRules: ElementRules = { keep: [0x2ad7b1, 0x4489], blank: [0x4d80, 0x5741] };
const trackRules: ElementRules = {
  keep: [
    0xd7, 0x73c5, 0x83, 0xb9, 0x88, 0x55aa, 0x9c, 0x23e383, 0x22b59c, 0x22b59d, 0x86, 0x63a2, 0x56aa, 0x56bb, 0x55ee,
    0xe0, 0xe1, 0x6d80,
  ],
};

/**
 * WebM without metadata. Every element keeps its length, because others have its place: what is not needed to play (tags, attachments,
 * chapters, names, dates) becomes void. The coded blocks are passed on as they are.
 */
export const cleanWebm: Cleaner = async function* (bytes) {
  let sides: { readonly width: number; readonly height: number } | undefined;
  for (let parts = 0; !(await bytes.isAtEnd()); parts += 1) {
    if (parts > MOST_PARTS) throw damagedMedia('it has too many parts');
    const { id, size, length } = readHead(await bytes.peek(HEAD_BYTES));
    const head = await bytes.read(length);
    if (parts === 0) assertWebm(id, size, await bytes.peek(Math.min(size ?? 0, MOST_TYPE)));
    if (parts === 1 && id !== ID.segment) throw damagedMedia('it has no segment');
    // What is in them follows as if it stood beside them. They alone may have no length, as live recordings do.
    if (id === ID.segment || id === ID.cluster) yield head;
    else if (size === undefined) throw damagedMedia('an element has no end');
    else if (parts === 0 || passed.has(id)) {
      yield head;
      yield* bytes.pass(size);
    } else if (id === ID.info || id === ID.tracks) {
      if (size > MOST_HEAD) throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', 'The head of the video is too large.');
      const content = await bytes.read(size);
      if (id === ID.info) elementsOf(content, infoRules);
      else {
        if (sides !== undefined) throw damagedMedia('it has two lists of tracks');
        sides = cleanTracks(content);
      }
      yield Buffer.concat([head, content]);
    } else {
      const whole = head.length + size;
      const instead = voidHead(whole);
      // The new head may be longer than the old one, and then takes the place of some content.
      const more = instead.length - head.length;
      if (more > 0) await bytes.read(Math.min(more, size));
      yield instead;
      if (more < 0) yield new Uint8Array(-more);
      yield* bytes.blank(size - Math.max(0, more));
    }
  }
  if (sides === undefined) throw damagedMedia('it has no tracks');
  return { type: sides.width > 0 ? 'video/webm' : 'audio/webm', ...sides };
};

function assertWebm(id: number, size: number | undefined, content: Buffer): void {
  if (id === ID.ebml && size === content.length)
    for (const { id: field, start, end } of elementsOf(content))
      if (field === ID.docType && content.toString('latin1', start, end).replace(/\0+$/, '') === 'webm') return;
  throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The file is Matroska, and no WebM.');
}

/** @returns the sides of the first picture track; 0 for sound alone */
function cleanTracks(content: Buffer): { readonly width: number; readonly height: number } {
  let sides = { width: 0, height: 0 };
  let tracks = 0;
  for (const { start, end } of elementsOf(content, { keep: [0xae] })) {
    const track = content.subarray(start, end);
    tracks += 1;
    let kind = 0;
    let own = { width: 0, height: 0 };
    let codec = '';
    let codecHead: Buffer | undefined;
    for (const { id, start: from, end: to } of elementsOf(track, trackRules)) {
      if (id === ID.trackType && to > from) kind = track.readUIntBE(from, Math.min(6, to - from));
      if (id === ID.video) own = sidesIn(track.subarray(from, to));
      if (id === ID.codec) codec = track.toString('latin1', from, to);
      if (id === ID.codecHead) codecHead = track.subarray(from, to);
    }
    if (codecHead !== undefined && codec.startsWith('A_VORBIS')) blankVorbisHead(codecHead);
    if (codecHead !== undefined && codec.startsWith('A_FLAC')) firstBlockAlone(codecHead.subarray(4));
    if (kind !== 1 && kind !== 2) {
      const words = 'The video has a track that is neither pictures nor sound. Export it without that track.';
      throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', words);
    }
    if (kind === 1 && sides.width === 0) sides = own;
  }
  if (tracks === 0) throw damagedMedia('it has no tracks');
  return sides;
}

function sidesIn(video: Buffer): { width: number; height: number } {
  const sides = { width: 0, height: 0 };
  for (const { id, start, end } of elementsOf(video)) {
    if (end === start || end - start > 4) continue;
    if (id === ID.width) sides.width = video.readUIntBE(start, end - start);
    if (id === ID.height) sides.height = video.readUIntBE(start, end - start);
  }
  return sides;
}
