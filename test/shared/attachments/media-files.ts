/** Small videos and sounds that tests put together. They have all that is needed to play but the coded samples, which are noise. */

export const SECRET = '+52.5200+013.4050/ SECRET PLACE';
export const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const be32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
};

// MP4

export function box(type: string, ...content: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((one) => (typeof one === 'string' ? latin(one) : one)));
  return Buffer.concat([be32(8 + body.length), latin(type), body]);
}

const times = be32(3_800_000_000, 3_800_000_001);

/** The first block says how to decode, and the second one has notes. */
const flac = box(
  'dfLa',
  be32(0),
  Buffer.of(0, 0, 0, 34),
  Buffer.alloc(34, 1),
  Buffer.of(0x84, 0, 0, SECRET.length),
  SECRET,
);

/** @param matrix of the picture: upright, or turned by a quarter */
export function track(kind: string, width = 0, height = 0, turned = false): Buffer {
  const matrix = turned
    ? be32(0, 0x10000, 0, 0xffff0000, 0, 0, 0, 0, 0x40000000)
    : be32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  const header = box(
    'tkhd',
    be32(3),
    times,
    be32(1, 0, 900, 0, 0, 0, 0),
    matrix,
    be32(width * 65_536, height * 65_536),
  );
  const entry =
    kind === 'vide' ? Buffer.concat([Buffer.alloc(42), latin(SECRET.padEnd(32)), Buffer.alloc(4)]) : Buffer.alloc(28);
  const coded = box(
    kind === 'vide' ? 'avc1' : 'mp4a',
    entry,
    box('esds', 'DECODER'),
    box('uuid', SECRET),
    ...(kind === 'vide' ? [] : [flac]),
  );
  return box(
    'trak',
    header,
    box('udta', box('\xa9xyz', SECRET)),
    box(
      'mdia',
      box('mdhd', be32(0), times, be32(1000, 900, 0)),
      box('hdlr', be32(0, 0), kind, be32(0, 0, 0), `${SECRET}\0`),
      box(
        'minf',
        box(kind === 'vide' ? 'vmhd' : 'smhd', be32(0, 0)),
        box('dinf', box('dref', be32(0, 1), box('url ', be32(1)))),
        box('stbl', box('stsd', be32(0, 1), coded), box('stco', be32(0, 1, 4_711)), box('mett', SECRET)),
      ),
    ),
  );
}

export const ftyp = box('ftyp', 'isom', be32(512), 'isomavc1');
export const mdat = box('mdat', 'the coded samples');

export function moov(...tracks: readonly Buffer[]): Buffer {
  return box(
    'moov',
    box('mvhd', be32(0), times, be32(1000, 900)),
    ...tracks,
    box('udta', box('\xa9xyz', SECRET), box('meta', be32(0), box('ilst', SECRET))),
    box('meta', SECRET),
  );
}

export function mp4(...tracks: readonly Buffer[]): Buffer {
  return Buffer.concat([ftyp, box('free', SECRET), mdat, moov(...tracks), box('uuid', SECRET)]);
}

// WebM

const idBytes = (id: number): Buffer => {
  const bytes = be32(id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
};

export function element(id: number, ...content: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((one) => (typeof one === 'string' ? latin(one) : one)));
  const size =
    body.length < 127 ? Buffer.of(0x80 | body.length) : Buffer.from([0x40 | (body.length >> 8), body.length & 255]);
  return Buffer.concat([idBytes(id), size, body]);
}

/** An element without a known length, as a live recording has them. */
function openElement(id: number, ...content: readonly Buffer[]): Buffer {
  return Buffer.concat([idBytes(id), Buffer.from('01ffffffffffffff', 'hex'), ...content]);
}

/** Three packets: how to decode, notes, and how to decode. */
function vorbisHead(): Buffer {
  const notes = oggNotes('\x03vorbis', `LOCATION=${SECRET}`);
  return Buffer.concat([Buffer.of(2, 5, notes.length), latin('FIRST'), notes, latin('THIRD')]);
}

export const webmTrack = (kind: number, width = 0, height = 0): Buffer =>
  element(
    0xae,
    element(0xd7, Buffer.of(1)),
    element(0x83, Buffer.of(kind)),
    element(0x536e, SECRET),
    element(0x86, kind === 1 ? 'V_VP9' : 'A_VORBIS'),
    ...(kind === 2 ? [element(0x63a2, vorbisHead())] : []),
    ...(width > 0
      ? [
          element(
            0xe0,
            element(0xb0, Buffer.of(width >> 8, width & 255)),
            element(0xba, Buffer.of(height >> 8, height & 255)),
          ),
        ]
      : []),
  );

export const block = element(0xa3, Buffer.of(0x81, 0, 0, 0x80), 'a coded block');
const cluster = [element(0xe7, Buffer.of(0)), block, element(0xbf, 'CRC!')];

export function webm(tracks: readonly Buffer[], { live = false, doc = 'webm' } = {}): Buffer {
  const container = live ? openElement : element;
  const head = element(0x1a45dfa3, element(0x4286, Buffer.of(1)), element(0x4282, doc));
  const segment = container(
    0x18538067,
    element(
      0x1549a966,
      element(0x2ad7b1, Buffer.of(15, 66, 64)),
      element(0x7ba9, SECRET),
      element(0x4461, Buffer.alloc(8, 7)),
      element(0x4d80, SECRET),
      element(0x5741, SECRET),
    ),
    element(0x1654ae6b, ...tracks),
    element(0x1254c367, SECRET.repeat(5)),
    container(0x1f43b675, ...cluster),
    element(0x1941a469, SECRET),
    element(0xec, SECRET),
  );
  return Buffer.concat([head, segment]);
}

// MP3 and Ogg

/** 128 kbit/s at 44,100 Hz: 417 bytes. */
export const mp3Frame = Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0), Buffer.alloc(413, 5)]);
export const id3 = (text: string): Buffer =>
  Buffer.concat([latin('ID3\x04\0\0'), Buffer.of(0, 0, text.length >> 7, text.length & 127), latin(text)]);

const crcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value;
});

/** RFC 3533, 6 */
export function oggSum(page: Buffer): number {
  return page.reduce((value, byte) => ((value << 8) ^ (crcTable[((value >>> 24) ^ byte) & 255] ?? 0)) | 0, 0) >>> 0;
}

export function oggPage(sequence: number, flags: number, lengths: readonly number[], body: Buffer, serial = 7): Buffer {
  const head = Buffer.concat([
    latin('OggS\0'),
    Buffer.of(flags),
    Buffer.alloc(20),
    Buffer.from([lengths.length, ...lengths]),
  ]);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(sequence, 18);
  const page = Buffer.concat([head, body]);
  page.writeUInt32LE(oggSum(page), 22);
  return page;
}

const note = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, latin(text)]);
};

/** The notes of a Vorbis or Opus stream. */
export function oggNotes(magic: string, ...texts: readonly string[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(texts.length);
  return Buffer.concat([latin(magic), note(`a program of ${SECRET}`), count, ...texts.map(note), Buffer.of(1)]);
}
