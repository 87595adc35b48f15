import { describe, expect, it } from 'vitest';
import { byteReader } from '../../../src/shared/attachments/media/byte-reader.ts';
import { handlingOf } from '../../../src/shared/attachments/media/sniffed.ts';
import { Problem } from '../../../src/base/problem.ts';
import { lentOffload } from '../../support/lent-offload.ts';
import {
  block,
  box,
  element,
  ftyp,
  id3,
  latin,
  mdat,
  moov,
  mp3Frame,
  mp4,
  oggNotes,
  oggPage,
  oggSum,
  SECRET,
  track,
  webm,
  webmTrack,
} from './media-files.ts';

async function* pieces(file: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

const noMedia = new Error('it is neither video nor sound');

/** What is left of a file that comes in pieces of some size, and what was found out. */
async function cleaned(file: Buffer, size = 7) {
  const bytes = byteReader(pieces(file, size));
  const handling = handlingOf(await bytes.peek(64));
  if (typeof handling !== 'function') throw noMedia;
  const kept: Uint8Array[] = [];
  const clean = handling(bytes, lentOffload());
  for (;;) {
    const next = await clean.next();
    if (next.done === true) return { file: Buffer.concat(kept), ...next.value };
    kept.push(Buffer.from(next.value));
  }
}

const refusal = async (file: Buffer): Promise<string> =>
  await cleaned(file).then(
    () => 'taken',
    (error: unknown) => (error instanceof Problem ? `${error.code} ${error.message}` : String(error)),
  );

const many = (text: string): Buffer => latin(text.padEnd(600, '.'));
const lengths = (size: number) => [...Array.from({ length: Math.floor(size / 255) }, () => 255), size % 255];
const opusTags = oggNotes('OpusTags', `LOCATION=${SECRET}`).subarray(0, -1);
const opus = Buffer.concat([
  oggPage(0, 2, [19], Buffer.concat([latin('OpusHead'), Buffer.alloc(11, 1)])),
  oggPage(1, 0, lengths(opusTags.length), opusTags),
]);

const videos = {
  'a video with its index behind': mp4(track('vide', 640, 480), track('soun')),
  'a video with its index before': Buffer.concat([ftyp, moov(track('vide', 640, 480)), mdat]),
  'a video of a camera that was held upright': mp4(track('vide', 480, 640, true)),
  'a WebM': webm([webmTrack(1, 640, 480), webmTrack(2)]),
  'a live WebM': webm([webmTrack(1, 640, 480)], { live: true }),
};

describe('a video', () => {
  it.each(Object.entries(videos))('that is %s keeps its length and its samples, and no place', async (name, file) => {
    expect(file.includes('SECRET')).toBe(true);
    for (const size of [1, 7, 1_000_000]) {
      const clean = await cleaned(file, size);
      expect([clean.width, clean.height, clean.type], name).toEqual([
        640,
        480,
        name.includes('WebM') ? 'video/webm' : 'video/mp4',
      ]);
      expect([clean.file.length, clean.file.includes('SECRET'), clean.file.includes('+52.52')], name).toEqual([
        file.length,
        false,
        false,
      ]);
      expect(clean.file.includes(name.includes('WebM') ? block : mdat), name).toBe(true);
      // Times when it was recorded.
      expect(clean.file.includes(Buffer.from('e27fda00', 'hex')), name).toBe(false);
      expect((await cleaned(clean.file)).file.equals(clean.file), name).toBe(true);
    }
  });

  it('of sound alone is sound', async () => {
    expect(await cleaned(mp4(track('soun')))).toMatchObject({ type: 'audio/mp4', width: 0, height: 0 });
    expect(await cleaned(webm([webmTrack(2)]))).toMatchObject({ type: 'audio/webm', width: 0, height: 0 });
  });

  it('is refused with its reason where it is hostile or has what a camera measured', async () => {
    const whole = videos['a video with its index behind'];
    const long = Buffer.concat([Buffer.of(0, 0, 0, 1), latin('mdat'), Buffer.alloc(8, 255)]);
    for (const [name, file, reason] of [
      ['a track of places', mp4(track('vide', 640, 480), track('meta')), 'UNSUPPORTED_MEDIA_TYPE'],
      ['no tracks', mp4(), 'MEDIA_DAMAGED'],
      ['no index', Buffer.concat([ftyp, mdat]), 'MEDIA_DAMAGED'],
      ['two indexes', Buffer.concat([whole, moov(track('vide', 1, 1))]), 'MEDIA_DAMAGED'],
      ['no type', Buffer.concat([box('ftyp', 'isom'), mdat]).subarray(0, 30), 'MEDIA_DAMAGED'],
      ['a box beyond the end', whole.subarray(0, -5), 'MEDIA_DAMAGED'],
      ['a box of 2^64 bytes', Buffer.concat([ftyp, long]), 'MEDIA_DAMAGED'],
      [
        'a box that is shorter than its head',
        Buffer.concat([ftyp, Buffer.of(0, 0, 0, 4), latin('moov')]),
        'MEDIA_DAMAGED',
      ],
      ['an index of 2 GiB', Buffer.concat([ftyp, Buffer.of(0x7f, 255, 255, 255), latin('moov')]), 'MEDIA_TOO_LARGE'],
      [
        'an address for its samples',
        Buffer.from(
          mp4(track('vide', 1, 1))
            .toString('latin1')
            .replace('url \0\0\0\x01', 'url \0\0\0\0'),
          'latin1',
        ),
        'MEDIA_DAMAGED',
      ],
      ['subtitles', webm([webmTrack(17)]), 'UNSUPPORTED_MEDIA_TYPE'],
      ['Matroska', webm([webmTrack(1, 1, 1)], { doc: 'matroska' }), 'UNSUPPORTED_MEDIA_TYPE'],
      ['a cut WebM', videos['a WebM'].subarray(0, -5), 'MEDIA_DAMAGED'],
      ['a WebM without tracks', webm([]), 'MEDIA_DAMAGED'],
      ['no segment', Buffer.concat([videos['a WebM'].subarray(0, 18), element(0xec, 'x')]), 'MEDIA_DAMAGED'],
    ] as const)
      expect((await refusal(file)).split(' ')[0], name).toBe(reason);
  });

  it('that is changed or cut anywhere is refused or cleaned, and never fails otherwise', async () => {
    const outcomes = { taken: 0, refused: 0 };
    for (const file of Object.values(videos))
      for (let at = 0; at < file.length; at += 3) {
        const changed = Buffer.from(file);
        changed[at] = (changed[at]! + 1 + (at % 255)) & 255;
        for (const one of [changed, file.subarray(0, at)]) {
          const error: unknown = await cleaned(one, 1_000).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          outcomes[error === undefined ? 'taken' : 'refused'] += 1;
          if (error !== undefined && error !== noMedia) expect(error).toBeInstanceOf(Problem);
        }
      }
    expect(outcomes.taken).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(100);
  });
});

describe('a sound', () => {
  it('that is an MP3 is its frames alone', async () => {
    const frames = Buffer.concat([mp3Frame, mp3Frame, mp3Frame]);
    for (const [before, after] of [
      ['', ''],
      [id3(many(SECRET).toString('latin1')), latin(`TAG${SECRET}`.padEnd(128))],
      [Buffer.concat([id3(SECRET), id3(SECRET)]), latin(`APETAGEX${SECRET}`)],
      ['', mp3Frame.subarray(0, 100)],
    ] as const) {
      const file = Buffer.concat([Buffer.from(before), frames, Buffer.from(after)]);
      for (const size of [1, 1_000, 1_000_000])
        expect(await cleaned(file, size)).toMatchObject({ type: 'audio/mpeg', file: frames });
    }
    expect(await refusal(Buffer.concat([id3(SECRET), latin('<html>')]))).toBe(
      'UNSUPPORTED_MEDIA_TYPE The file is no MP3.',
    );
    expect(await refusal(Buffer.concat([frames, latin('<script>')]))).toBe(
      'MEDIA_DAMAGED The file is damaged: there is something else in the sound.',
    );
    expect(await refusal(id3(SECRET).subarray(0, 20))).toBe('MEDIA_DAMAGED The file is damaged: it breaks off.');
  });

  it('that is Ogg has spaces for its notes, and right sums', async () => {
    const tags = oggNotes('\x03vorbis', `LOCATION=${SECRET}`, `METADATA_BLOCK_PICTURE=${SECRET.repeat(10)}`);
    const first = Buffer.concat([latin('\x01vorbis'), Buffer.alloc(23, 1)]);
    const rest = tags.subarray(255);
    const vorbis = Buffer.concat([
      oggPage(0, 2, [30], first),
      oggPage(1, 0, [255], tags.subarray(0, 255)),
      oggPage(2, 1, [...lengths(rest.length), 5], Buffer.concat([rest, latin('SETUP')])),
      oggPage(3, 0, [9], latin('THE SOUND')),
    ]);
    const { file, type } = await cleaned(vorbis);
    expect([type, file.length, file.includes('SECRET')]).toEqual(['audio/ogg', vorbis.length, false]);
    for (const kept of [first, latin('SETUP'), latin('THE SOUND'), latin('\x03vorbis')])
      expect(file.includes(kept)).toBe(true);
    let pages = 0;
    for (let at = 0; at < file.length; pages += 1) {
      const segments = file[at + 26] ?? 0;
      const end = file.subarray(at + 27, at + 27 + segments).reduce((sum, one) => sum + one, at + 27 + segments);
      const page = Buffer.from(file.subarray(at, end));
      const sum = page.readUInt32LE(22);
      page.writeUInt32LE(0, 22);
      expect(oggSum(page)).toBe(sum);
      at = end;
    }
    expect(pages).toBe(4);
    expect((await cleaned(opus)).file.includes('SECRET')).toBe(false);
  });

  it('that is Ogg of another kind is refused', async () => {
    const other = oggPage(0, 2, [7], latin('\x80theora'));
    expect(await refusal(other)).toMatch(/^UNSUPPORTED_MEDIA_TYPE/);
    expect(await refusal(Buffer.concat([opus, oggPage(0, 0, [1], latin('x'), 8)]))).toMatch(/^UNSUPPORTED_MEDIA_TYPE/);
    const lying = Buffer.from(opus);
    lying.writeUInt32LE(0xffffff, opus.indexOf('OpusTags') + 8);
    expect(await refusal(lying)).toBe('MEDIA_DAMAGED The file is damaged: a note is cut off.');
    expect(await refusal(opus.subarray(0, -3))).toBe('MEDIA_DAMAGED The file is damaged: it breaks off.');
    const endless = Array.from({ length: 20 }, (_, at) =>
      oggPage(
        at + 1,
        0,
        Array.from({ length: 255 }, () => 255),
        Buffer.alloc(65_025),
      ),
    );
    expect(await refusal(Buffer.concat([opus.subarray(0, 47), ...endless]))).toMatch(/^MEDIA_TOO_LARGE/);
  });
});
