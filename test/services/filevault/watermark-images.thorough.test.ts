import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../../../src/shared/attachments/images/codec.ts';
import { decode } from '../../../src/shared/attachments/images/decode.ts';
import { codeIn, drawLines, hideCode } from '../../../src/services/filevault/watermarks/image.ts';
import { Unreadable } from '../../../src/shared/attachments/images/unreadable.ts';
import { pictureOnly } from '../../../src/shared/attachments/images/png-data.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import {
  bmp,
  cmykJpeg,
  colorAt,
  emptyScans,
  encoded,
  gif,
  interlaced,
  noise,
  oriented,
  pixelsOf,
  png,
  sample,
  segment,
  webp,
  webpChunk,
  webpFrame,
  webpHeader,
} from './pictures.ts';
import { openScene, said } from './scene.ts';
import { marked, preview, read } from './watermarked.ts';

const RED = [200, 40, 40, 255];
const BLUE = [40, 40, 200, 255];
const WIDTH = 160;
const HEIGHT = 48;
/** Red, and blue beside it. */
const halves = pixelsOf(WIDTH, HEIGHT, (x) => (x < WIDTH / 2 ? RED : BLUE));
const { jpeg: baseline, webp: lossless } = encoded(halves);
const rightIsBlue = gif(WIDTH, HEIGHT, (x) => x >= WIDTH / 2);
/** The picture alone, without the header of the file. */
const vp8l = lossless.subarray(12);
const animation = webp(
  webpHeader(0x02, WIDTH, HEIGHT),
  webpChunk('ANIM', Buffer.alloc(6)),
  webpFrame(WIDTH, HEIGHT, vp8l),
  webpFrame(80, 40, encoded(pixelsOf(80, 40, () => BLUE)).webp.subarray(12)),
);

/** JPEG and lossy WebP change colours a little; CMYK and GIF have others. */
function expectColor(found: readonly number[], wanted: readonly number[], what: string): void {
  for (const [at, value] of wanted.entries())
    expect(Math.abs((found[at] ?? 0) - value), `${what}: ${found.join()}`).toBeLessThan(64);
}

describe.each(engines)('watermarks of images on %s', (engine) => {
  it('are on JPEG, WebP, GIF, BMP and interlaced PNG, which are shown as PNG', async () => {
    await using scene = await openScene(engine);
    const files = [
      ['image/jpeg', 'holiday.jpeg', baseline],
      ['image/jpeg', 'holiday.v2', sample('progressiveJpeg')],
      ['image/webp', 'holiday.WEBP', sample('lossyWebp')],
      ['image/gif', 'holiday.gif', rightIsBlue],
      ['image/bmp', 'holiday.bmp', bmp(halves)],
      ['image/png', 'holiday.png', interlaced(halves)],
    ] as const;
    for (const [type, name, file] of files.filter((_, at) => at % inStage(3, 3, 1) === 0)) {
      const id = await scene.file(file, { type, name });
      await marked(scene, id, true, true);
      const { status, headers, bytes } = await preview(scene, id);
      expect([status, headers.get('content-type'), headers.get('etag')], name).toEqual([200, 'image/png', null]);
      const shown = name === 'holiday.v2' ? 'holiday.v2.png' : 'holiday.png';
      expect(headers.get('content-disposition'), name).toBe(`inline; filename="${shown}"`);
      expect(bytes.toString('latin1', 1, 4), name).toBe('PNG');
      const [before, after] = [await decode(file), await decode(bytes)];
      expect([after.width, after.height], name).toEqual([WIDTH, HEIGHT]);
      const drawn = after.bytes.filter((byte, at) => Math.abs(byte - (before.bytes[at] ?? 0)) > 20);
      expect(drawn.length, name).toBeGreaterThan(400);
      expect(drawn.length, name).toBeLessThan(after.bytes.length / 2);
      const { accesses } = (await read(scene, bytes)).body;
      expect(accesses, name).toMatchObject([{ fileId: id, memberId: scene.owner.memberId }]);
      // What is packed without loss keeps the id, and JPEG does not.
      const others = encoded(after);
      expect((await read(scene, others.webp)).body.accesses, name).toEqual(accesses);
      expect(said(await read(scene, others.jpeg)), name).toBe('404 WATERMARK_NOT_FOUND');
      await scene.get('DELETE', `/files/${id}`);
    }
  });

  it('are on the picture as a camera was held, and where it was taken is not in it', async () => {
    await using scene = await openScene(engine);
    const photo = oriented(encoded(pixelsOf(200, 160, (_, y) => (y < 80 ? RED : BLUE))).jpeg, 6);
    expect(photo.includes('SECRET PLACE')).toBe(true);
    const id = await scene.file(photo, { type: 'image/jpeg', name: 'photo.jpg' });
    await marked(scene, id, false, true);
    const { bytes } = await preview(scene, id);
    expect([bytes.includes('SECRET'), bytes.includes('Exif'), bytes.includes('eXIf')]).toEqual([false, false, false]);
    const after = await decode(bytes);
    expect([after.width, after.height]).toEqual([160, 200]);
    expectColor(colorAt(after, 150, 100), RED, 'right');
    expectColor(colorAt(after, 10, 100), BLUE, 'left');
    expect((await read(scene, bytes)).body.accesses).toMatchObject([{ fileId: id }]);
  });

  it('are refused for hostile images, with the reason, and the next image is marked', async () => {
    await using scene = await openScene(engine);
    const wide = (width: number, height: number) => png(width, height, Buffer.alloc(10));
    for (const [type, file, why] of [
      ['image/jpeg', baseline.subarray(0, -30), 'it is damaged'],
      ['image/jpeg', emptyScans(50_000, 50_000, 1), 'the image is too large'],
      ['image/png', wide(50_000, 50_000), 'the image is too large'],
      ['image/webp', webp(webpHeader(0, 50_000, 50_000), vp8l), 'the image is too large'],
      ['image/jpeg', png(200, 60, Buffer.alloc(60 * 601)), 'it says image/jpeg and is image/png'],
      ['image/jpeg', emptyScans(200, 60, 1), 'it is damaged, or of a kind that is not known'],
      ['image/png', png(200, 60, Buffer.alloc(30_000_000)), 'it has more data than pixels'],
    ] as const) {
      const id = await scene.file(file, { type });
      await marked(scene, id, true, true);
      const answer = await scene.call('GET', `/files/${id}/preview`);
      expect([said(answer), answer.body.message], why).toEqual([
        '409 WATERMARK_IMPOSSIBLE',
        `The file is shown with a watermark alone, and that is not possible: ${why}.`,
      ]);
      expect(said(await read(scene, file))).toBe('404 WATERMARK_NOT_FOUND');
    }
    const id = await scene.file(baseline, { type: 'image/jpeg' });
    await marked(scene, id, true, true);
    expect((await preview(scene, id)).status).toBe(200);
  });
});

describe('an image', () => {
  it('is decoded from every format, with its opacity', { tags: 'soak' }, async () => {
    for (const [name, file, left, right] of [
      ['baseline JPEG', baseline, RED, BLUE],
      ['progressive JPEG', sample('progressiveJpeg'), RED, BLUE],
      ['lossy WebP', sample('lossyWebp'), RED, [40, 40, 200, 128]],
      ['lossless WebP', sample('losslessWebp'), RED, [40, 40, 200, 128]],
      ['lossless WebP of the library', lossless, RED, BLUE],
      ['animated WebP', animation, RED, BLUE],
      ['GIF', rightIsBlue, [255, 0, 0, 255], [0, 0, 255, 255]],
      ['BMP', bmp(halves), RED, BLUE],
      ['interlaced PNG', interlaced(halves), RED, BLUE],
      ['CMYK', cmykJpeg(WIDTH, HEIGHT, [255, 1, 1, 255]), [255, 0, 0, 255], [255, 0, 0, 255]],
      ['black CMYK', cmykJpeg(WIDTH, HEIGHT, [255, 255, 255, 1]), [0, 0, 0, 255], [0, 0, 0, 255]],
    ] as const) {
      const pixels = await decode(file);
      expect([pixels.width, pixels.height], name).toEqual([WIDTH, HEIGHT]);
      expectColor(colorAt(pixels, 8, 40), left, name);
      expectColor(colorAt(pixels, WIDTH - 8, 40), right, name);
    }
    const clear = pixelsOf(33, 7, (x, y) => [x * 7, y * 9, 99, x * y]);
    expect(await decode(interlaced(clear))).toEqual(clear);
    expect(await decode(encoded(clear).webp)).toEqual(clear);
  });

  it('is turned as EXIF says (TIFF 6.0, orientation)', { tags: 'soak' }, async () => {
    const [green, white] = [
      [40, 200, 40, 255],
      [240, 240, 240, 255],
    ];
    const corner = (x: number, y: number) => (y < 24 ? (x < 80 ? RED : BLUE) : x < 80 ? green : white);
    const { jpeg } = encoded(pixelsOf(WIDTH, HEIGHT, corner));
    // Upper left, upper right, lower left, lower right.
    const [a, b, c, d] = [RED, BLUE, green, white];
    for (const [orientation, ...wanted] of [
      [1, a, b, c, d],
      [2, b, a, d, c],
      [3, d, c, b, a],
      [4, c, d, a, b],
      [5, a, c, b, d],
      [6, c, a, d, b],
      [7, d, b, c, a],
      [8, b, d, a, c],
      [9, a, b, c, d],
    ] as const) {
      const pixels = await decode(oriented(jpeg, orientation));
      const { width, height } = pixels;
      expect([width, height]).toEqual(orientation >= 5 && orientation <= 8 ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT]);
      const [right, low] = [width - 5, height - 5];
      const corners = [
        [4, 4],
        [right, 4],
        [4, low],
        [right, low],
      ] as const;
      for (const [at, [x, y]] of corners.entries())
        expectColor(colorAt(pixels, x, y), wanted[at] ?? [], `orientation ${orientation}, corner ${at}`);
    }
  });

  it('is refused where its parts, its size or its data are not what it says', async () => {
    const wrongSum = Buffer.from(noise(200, 60));
    wrongSum[wrongSum.length - 13]! ^= 1;
    const wrongByte = Buffer.from(noise(200, 60));
    wrongByte[wrongByte.length - 30]! ^= 1;
    const unknown = 'it is damaged, or of a kind that is not known';
    const rows = Buffer.alloc(60 * 601);
    const later = Buffer.from(bmp(halves));
    later.writeInt32LE(-50_001, 22);
    const frames = Buffer.concat([
      Buffer.of(0xff, 0xd8),
      segment(0xc0, 8, 0, 8, 0, 8, 1, 1, 17, 0),
      segment(0xc0, 8, 0xc3, 0x50, 0xc3, 0x50, 1, 1, 17, 0),
      Buffer.of(0xff, 0xd9),
    ]);
    const picture = (file: Buffer) => file.subarray(12);
    for (const [file, why] of [
      [wrongSum, unknown],
      [wrongByte, 'it is damaged'],
      [noise(200, 60).subarray(0, -20), 'it is damaged'],
      [png(200, 60, rows.subarray(1)), unknown],
      [png(200, 60, Buffer.alloc(30_000_000)), 'it has more data than pixels'],
      [png(50_001, 1, rows), 'the image is too large'],
      [png(40_000, 40_000, rows), 'the image is too large'],
      // 64 MiB as it is shown, and twice as much until then.
      [png(5_000, 5_000, rows, { depth: 16 }), 'the image is too large'],
      [png(0, 5, rows), 'the image has no pixels'],
      [png(200, 60, Buffer.alloc(60 * 601, 7)), unknown],
      [png(200, 60, Buffer.alloc(60 * 201), { color: 3 }), unknown],
      [baseline.subarray(0, 300), 'it is damaged'],
      [baseline.subarray(0, 4), 'it is damaged'],
      [Buffer.of(0xff, 0xd8, 0xff, 0xd9), 'it has no picture'],
      [frames, 'it has two frames'],
      [emptyScans(50_000, 50_000, 1), 'the image is too large'],
      [emptyScans(200, 60, 101), 'it has too many scans'],
      [lossless.subarray(0, -4), 'it is damaged'],
      [webp(webpHeader(0, 16_000, 16_000), vp8l), 'the image is too large'],
      [webp(webpHeader(0, 10, 10), webpChunk('VP8L', Buffer.from('2fffffff0f00', 'hex'))), 'the image is too large'],
      [webp(webpHeader(2, 10, 10), webpFrame(10, 10, webpFrame(10, 10, vp8l))), 'it has a frame in a frame'],
      [webp(webpHeader(2, 10, 10), webpFrame(60_000, 10, vp8l)), 'the image is too large'],
      [webp(webpChunk('ICCP', Buffer.alloc(10))), 'it has no picture'],
      [webp(webpChunk('VP8L', Buffer.alloc(2))), 'it breaks off'],
      [webp(picture(lossless).subarray(0, 20)), 'it is damaged'],
      [gif(WIDTH, HEIGHT, () => true, [60_000, 60_000]), 'the image is too large'],
      [gif(WIDTH, HEIGHT, () => true, [WIDTH + 1, HEIGHT]), unknown],
      [rightIsBlue.subarray(0, -9), 'it is damaged'],
      [later, 'the image is too large'],
      [bmp(halves).subarray(0, 400), unknown],
      [bmp(halves).subarray(0, 30), unknown],
      [Buffer.from('GIF89'), 'it is no JPEG, PNG, WebP, GIF or BMP'],
    ] as const) {
      const error = await decode(file).catch((thrown: unknown) => thrown);
      expect(error, why).toBeInstanceOf(Unreadable);
      expect((error as Unreadable).message).toBe(why);
    }
    expect(await decode(baseline)).toMatchObject({ width: WIDTH });
  });

  it('has a colour profile that is not unpacked', { tags: 'soak' }, async () => {
    const profile = Buffer.concat([Buffer.from('name\0\0', 'latin1'), deflateSync(Buffer.alloc(50_000_000))]);
    const file = png(200, 60, Buffer.alloc(60 * 601), { more: [['iCCP', profile]] });
    expect([file.includes('iCCP'), pictureOnly(file).includes('iCCP')]).toEqual([true, false]);
    expect(await decode(file)).toMatchObject({ width: 200, height: 60 });
  });

  it('is decoded or refused whatever bytes are changed in it', { tags: 'soak' }, async () => {
    for (const [name, file] of Object.entries({
      baseline,
      lossless,
      rightIsBlue,
      animation,
      progressive: sample('progressiveJpeg'),
      lossy: sample('lossyWebp'),
      bmp: bmp(halves),
      png: interlaced(halves),
    }))
      for (let round = 1; round <= 25; round += 1) {
        const changed = Buffer.from(file);
        for (let step = 1; step <= 1 + (round % 4); step += 1)
          changed[(round * 7919 * step) % file.length] = (round * 31 * step) & 255;
        const error = await decode(changed).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined) expect(error, `${name}, ${round}`).toBeInstanceOf(Unreadable);
      }
    expect(await decode(baseline)).toMatchObject({ width: WIDTH, height: HEIGHT });
  });
});

describe('a PNG', () => {
  it('is decoded whatever its kind of pixels and filters', async () => {
    const row = (filter: number, ...bytes: number[]) => [filter, ...bytes];
    const kinds: readonly (readonly [string, Buffer, readonly number[]])[] = [
      ['grey of 1 bit', png(3, 1, Buffer.from(row(0, 0b10100000)), { color: 0, depth: 1 }), [255, 0, 255]],
      ['grey of 4 bits', png(3, 1, Buffer.from(row(0, 0xf0, 0x80)), { color: 0, depth: 4 }), [255, 0, 136]],
      ['grey of 16 bits', png(2, 1, Buffer.from(row(0, 0x12, 0x34, 0xff, 0)), { color: 0, depth: 16 }), [0x12, 0xfe]],
      ['grey with opacity', png(2, 1, Buffer.from(row(0, 9, 255, 7, 128)), { color: 4 }), [9, 7]],
      [
        'a palette',
        png(4, 1, Buffer.from(row(0, 0b01001000)), {
          color: 3,
          depth: 2,
          more: [['PLTE', Buffer.of(1, 1, 1, 2, 2, 2, 3, 3, 3)]],
        }),
        [2, 1, 3, 1],
      ],
      ['a filter to the left', png(3, 1, Buffer.from(row(1, 5, 1, 1)), { color: 0 }), [5, 6, 7]],
      ['a filter upwards', png(2, 2, Buffer.from([...row(0, 5, 6), ...row(2, 1, 1)]), { color: 0 }), [5, 6, 6, 7]],
      ['an average', png(2, 2, Buffer.from([...row(0, 4, 8), ...row(3, 1, 1)]), { color: 0 }), [4, 8, 3, 6]],
      ['a filter of Paeth', png(2, 2, Buffer.from([...row(4, 4, 8), ...row(4, 1, 1)]), { color: 0 }), [4, 12, 5, 13]],
    ];
    for (const [name, file, reds] of kinds) {
      const { bytes } = await decode(file);
      expect(
        [...bytes].filter((_, at) => at % 4 === 0),
        name,
      ).toEqual(reds);
    }
  });

  it('is the same after encoding and decoding, and hides a code where there is room', async () => {
    const pixels = { width: 90, height: 40, bytes: new Uint8Array(randomBytes(90 * 40 * 4)) };
    expect(await decode(encodePng(pixels))).toEqual(pixels);
    const id = '0123456789abcdef';
    hideCode(pixels, id);
    expect(codeIn(await decode(encodePng(pixels)))).toBe(id);
    expect(codeIn({ width: 90, height: 40, bytes: new Uint8Array(randomBytes(90 * 40 * 4)) })).toBeUndefined();
    expect(() => hideCode({ width: 5, height: 5, bytes: new Uint8Array(100) }, id)).toThrow('too small');
    expect(() => drawLines({ width: 20, height: 20, bytes: new Uint8Array(1600) }, ['ADA LOVELACE'])).toThrow(
      'too small',
    );
  });
});
