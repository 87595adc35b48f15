import { Problem } from '../../../base/problem.ts';
import { damagedMedia, type ByteReader } from './byte-reader.ts';
import type { Cleaner } from './cleaner.ts';

/** kbit/s of layer III (ISO/IEC 11172-3, 2.4.2.3, and 13818-3), of MPEG 1 and of MPEG 2 */
const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const samplings = [44_100, 48_000, 32_000];

/** Bytes that are passed on together. */
const TOGETHER = 64 * 1024;
/** What may follow the sound: notes of programs, which are dropped. */
const notes = ['TAG', 'APETAGEX', 'LYRICSBEGIN', 'ID3', '3DI', '\0'];

/** The frames of an MP3, without the notes before and after them (ID3, APE, lyrics), which hold names, texts and pictures. */
export const cleanMp3: Cleaner = async function* (bytes) {
  await skipNotes(bytes);
  let frames = 0;
  for (;;) {
    const ready = await bytes.peek(TOGETHER);
    let at = 0;
    for (let length = frameLength(ready, at); length !== undefined; length = frameLength(ready, at)) {
      if (at + length > ready.length) break;
      at += length;
      frames += 1;
    }
    if (at === 0) break;
    yield* bytes.pass(at);
  }
  if (frames < 2) throw new Problem('unsupported', 'UNSUPPORTED_MEDIA_TYPE', 'The file is no MP3.');
  const after = (await bytes.peek(16)).toString('latin1');
  // The last frame may be cut off.
  const isCut = frameLength(await bytes.peek(4), 0) !== undefined;
  if (!isCut && after.length > 3 && !notes.some((start) => after.startsWith(start)))
    throw damagedMedia('there is something else in the sound');
  for await (const _ of bytes.rest()) {
    // To the end, where the sender's hash of it is compared.
  }
  return { type: 'audio/mpeg', width: 0, height: 0 };
};

/** ID3, version 2 (id3.org, 3.1): ten bytes with a length of four times seven bits. */
async function skipNotes(bytes: ByteReader): Promise<void> {
  for (let head = await bytes.peek(10); head.toString('latin1', 0, 3) === 'ID3'; head = await bytes.peek(10)) {
    if (head.length < 10 || head.subarray(6).some((byte) => byte > 127)) throw damagedMedia('its notes have no length');
    const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6);
    const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
    const size = 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (hasFooter ? 10 : 0);
    for await (const _ of bytes.pass(size)) {
      // Passed over, piece by piece.
    }
  }
}

/** Bytes of the frame at a place; undefined if there is none. */
function frameLength(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const [second = 0, third = 0] = bytes.subarray(at + 1, at + 3);
  const version = (second >> 3) & 3;
  const [rate, sampling] = [third >> 4, (third >> 2) & 3];
  // Sync, a version that exists, layer III, a rate that is said, and a sampling that exists.
  if (second >> 5 !== 7 || version === 1 || ((second >> 1) & 3) !== 1 || rate === 0 || rate === 15 || sampling === 3)
    return undefined;
  const isFirst = version === 3;
  const hertz = (samplings[sampling] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const kbits = (isFirst ? rates1 : rates2)[rate] ?? 0;
  return Math.floor(((isFirst ? 144 : 72) * kbits * 1000) / hertz) + ((third >> 1) & 1);
}
