import { Buffer } from 'node:buffer';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { contentTypeOf } from '../../../src/shared/attachments/content-type.ts';
import { withoutMetadata } from '../../../src/shared/attachments/images/without-metadata.ts';
import { cleanImage, openContent, sealContent } from '../../../src/shared/attachments/off-thread.ts';
import { openWithKey } from '../../../src/crypto/sealing.ts';
import { createOffload } from '../../../src/platform/workers/offload.ts';
import { Problem } from '../../../src/base/problem.ts';

const SECRET = '52.5200N 13.4050E';
const offload = createOffload();
afterAll(async () => await offload[Symbol.asyncDispose]());

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const be16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const be32 = (value: number): Buffer => Buffer.concat([be16(value >>> 16), be16(value & 0xffff)]);
const le32 = (value: number): Buffer => be32(value).reverse();

const segment = (marker: number, content: Buffer | string): Buffer => {
  const bytes = typeof content === 'string' ? latin(content) : content;
  return Buffer.concat([Buffer.from([0xff, marker]), be16(bytes.length + 2), bytes]);
};
const chunk = (type: string, content: string): Buffer =>
  Buffer.concat([be32(content.length), latin(type), latin(content), latin('CRC!')]);
const riff = (type: string, content: Buffer | string): Buffer => {
  const bytes = typeof content === 'string' ? latin(content) : content;
  return Buffer.concat([latin(type), le32(bytes.length), bytes, Buffer.alloc(bytes.length % 2)]);
};
const webp = (...chunks: Buffer[]): Buffer => {
  const body = Buffer.concat([latin('WEBP'), ...chunks]);
  return Buffer.concat([latin('RIFF'), le32(body.length), body]);
};
/** EXIF with an orientation, and a place behind it. */
const exif = (orientation: number): Buffer =>
  Buffer.concat([
    latin('Exif\0\0II*\0'),
    le32(8),
    Buffer.from([2, 0, 0x0f, 0x01, 2, 0, 1, 0, 0, 0, 65, 0, 0, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]),
    latin(SECRET),
  ]);
const onlyOrientation = (orientation: number): Buffer =>
  segment(
    0xe1,
    Buffer.concat([
      latin('Exif\0\0MM\0*'),
      be32(8),
      Buffer.from([0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
    ]),
  );

const jfif = segment(0xe0, Buffer.concat([latin('JFIF\0\x01\x01\0\0\x01\0\x01'), Buffer.from([0, 0])]));
const thumbnail = segment(
  0xe0,
  Buffer.concat([latin('JFIF\0\x01\x01\0\0\x01\0\x01'), Buffer.from([1, 1]), latin('abc')]),
);
const icc = segment(0xe2, 'ICC_PROFILE\0\x01\x01colours');
const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01');
const tables = segment(0xdb, 'tables');
const scan = Buffer.concat([segment(0xda, 'scan'), latin('data\xff\0data\xff\xd0data')]);
const end = latin('\xff\xd9');

const gifHead = Buffer.concat([latin('GIF89a'), Buffer.from([1, 0, 1, 0, 0x80, 0, 0]), latin('colour')]);
const gifBlocks = (...texts: string[]): Buffer =>
  Buffer.concat([...texts.map((text) => Buffer.concat([Buffer.from([text.length]), latin(text)])), Buffer.from([0])]);
const gifImage = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2]), gifBlocks('pixel', 'pixel')]);
const control = Buffer.concat([latin('!\xf9'), gifBlocks('\0\0\0\0')]);
const loop = Buffer.concat([latin('!\xff'), gifBlocks('NETSCAPE2.0', '\x01\0\0')]);

const vp8x = (flags: number): Buffer => riff('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), Buffer.alloc(6)]));
const png = latin('\x89PNG\r\n\x1a\n');

/** What came, and what has to be left of it. */
const images: readonly (readonly [string, came: Buffer, left: Buffer])[] = [
  [
    'image/jpeg',
    Buffer.concat([
      latin('\xff\xd8'),
      thumbnail,
      segment(0xe1, exif(6)),
      segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),

      icc,
      segment(0xe2, `MPF\0${SECRET}`),
      segment(0xed, `Photoshop 3.0\0${SECRET}`),
      adobe,
      segment(0xfe, SECRET),
      segment(0xef, SECRET),
      latin('\xff\xff'),
      tables,
      scan,
      segment(0xfe, SECRET),
      scan,
      end,
      latin(SECRET),
    ]),
    Buffer.concat([latin('\xff\xd8'), jfif, onlyOrientation(6), icc, adobe, tables, scan, scan, end]),
  ],
  [
    'image/png',
    Buffer.concat([
      png,
      chunk('IHDR', 'header'),
      chunk('tEXt', SECRET),
      chunk('iTXt', SECRET),
      chunk('zTXt', SECRET),
      chunk('eXIf', SECRET),
      chunk('tIME', SECRET),
      chunk('gAMA', 'gamma'),
      chunk('prVt', SECRET),
      chunk('IDAT', 'pixels'),
      chunk('IDAT', 'pixels'),
      chunk('IEND', ''),
      latin(SECRET),
    ]),
    Buffer.concat([
      png,
      chunk('IHDR', 'header'),
      chunk('gAMA', 'gamma'),
      chunk('IDAT', 'pixels'),
      chunk('IDAT', 'pixels'),
      chunk('IEND', ''),
    ]),
  ],
  [
    'image/webp',
    Buffer.concat([
      webp(
        vp8x(0x2c),
        riff('ICCP', 'odd'),
        riff('VP8 ', 'pixels'),
        riff('EXIF', exif(1)),
        riff('XMP ', SECRET),
        riff('????', SECRET),
      ),
      latin(SECRET),
    ]),
    webp(vp8x(0x20), riff('ICCP', 'odd'), riff('VP8 ', 'pixels')),
  ],
  [
    'image/gif',
    Buffer.concat([
      gifHead,
      loop,
      latin('!\xfe'),
      gifBlocks(SECRET, SECRET),
      control,
      gifImage,
      latin('!\xff'),
      gifBlocks('XMP DataXMP', SECRET),
      latin('!\x01'),
      gifBlocks('\0'.repeat(12), SECRET),
      gifImage,
      latin(';'),
      latin(SECRET),
    ]),
    Buffer.concat([gifHead, loop, control, gifImage, gifImage, latin(';')]),
  ],
];

describe.each(images)('a %s', (type, came, left) => {
  it('is known by its content, and keeps the picture alone', () => {
    expect(contentTypeOf(came)).toBe(type);
    const clean = withoutMetadata(came);
    expect(clean.type).toBe(type);
    expect(Buffer.from(clean.bytes).toString('latin1')).toBe(left.toString('latin1'));
    expect(Buffer.from(withoutMetadata(clean.bytes).bytes)).toEqual(left);
  });

  it('that is cut off is refused, wherever it is', () => {
    const whole = came.length - SECRET.length;
    for (let length = 0; length < whole; length += 1) {
      const cut = came.subarray(0, length);
      expect(() => withoutMetadata(cut), String(length)).toThrow(Problem);
    }
    expect(() => withoutMetadata(came.subarray(0, whole))).not.toThrow();
  });

  it('that is changed anywhere is refused or cleaned, and never hangs or fails otherwise', () => {
    for (let at = 0; at < came.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(came);
        changed[at] = value;
        try {
          expect(withoutMetadata(changed).bytes.length).toBeLessThanOrEqual(came.length + 64);
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
        }
      }
    }
  });

  it('is cleaned in a thread', async () => {
    const clean = await cleanImage(offload, came);
    expect([clean.type, Buffer.from(clean.bytes).toString('latin1')]).toEqual([type, left.toString('latin1')]);
  });
});

describe('what is no image', () => {
  it.each(['', 'x', '<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7', 'RIFF....WAVE'])(
    'such as %j is refused',
    (text) => {
      expect(() => withoutMetadata(latin(text))).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }));
    },
  );

  it('is refused from a thread alike', async () => {
    await expect(cleanImage(offload, latin('x'))).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(cleanImage(offload, png)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('an image of very many parts is refused', () => {
  const many = Buffer.concat([gifHead, Buffer.alloc(1_000_000, control), latin(';')]);
  expect(() => withoutMetadata(many)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
});

it('contents are opened alike here and in a thread, and what is damaged is refused by both', async () => {
  const [key, iv, context] = [new Uint8Array(32).fill(1), new Uint8Array(16).fill(2), latin('of a test')];
  const run = vi.spyOn(offload, 'run');
  for (const size of [0, 1000, 300_000, 2 * 1024 ** 2]) {
    const content = new Uint8Array(size).fill(3);
    const { sealed } = await sealContent(offload, { key, iv, context, content });
    const damaged = Uint8Array.from(sealed);
    damaged[sealed.length - 1]! ^= 1;
    run.mockClear();
    const opened = await openContent(offload, { key, context, sealed });
    expect(Buffer.from(opened).equals(content)).toBe(true);
    // Nothing that takes long happens in the thread that answers.
    expect(run).toHaveBeenCalledTimes(size > 256 * 1024 ? 1 : 0);
    await expect(openContent(offload, { key, context, sealed: damaged })).rejects.toThrow('ciphertext is damaged');
  }
  run.mockRestore();
});

it('contents are sealed alike here and in a thread, with the hash of what they were', async () => {
  const [key, iv, context] = [new Uint8Array(32).fill(1), new Uint8Array(16).fill(2), latin('of a test')];
  for (const size of [0, 1000, 300_000]) {
    const content = new Uint8Array(size).fill(3);
    const { sealed, sha256 } = await sealContent(offload, { key, iv, context, content });
    expect(Buffer.from(openWithKey(key, sealed, context)).equals(content)).toBe(true);
    expect(sha256).toHaveLength(32);
  }
});
