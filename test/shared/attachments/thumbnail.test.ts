import { describe, expect, it } from 'vitest';
import type { Pixels, Thumbnail } from '../../../src/base/pixels.ts';
import { thumbnailOf } from '../../../src/node/thumbnail.ts';
import { thumbnailWork } from '../../../src/shared/attachments/images/thumbnail.ts';
import {
  bmp,
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
  webp,
  webpChunk,
  webpFrame,
  webpHeader,
} from '../../services/filevault/pictures.ts';

const RED = [200, 40, 40, 255];
const BLUE = [40, 40, 200, 255];
const halves = pixelsOf(160, 48, (x) => (x < 80 ? RED : BLUE));
const { jpeg, webp: lossless } = encoded(halves);
const made = async (file: Uint8Array): Promise<Thumbnail> =>
  await thumbnailWork(file, { tell: () => {}, transfer: [], native: async (work) => await work() });

async function pixelsIn(file: Uint8Array): Promise<Pixels> {
  const found = await made(file);
  if ('why' in found) throw new Error(found.why);
  return found.pixels;
}

/** JPEG and lossy WebP change colours a little, and a GIF here has others. */
function near(color: readonly number[], wanted: readonly number[]): boolean {
  return color.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) < 64);
}

/** The second picture is red all over. */
function animatedGif(): Buffer {
  const [first, second] = [gif(160, 48, (x) => x >= 80), gif(160, 48, () => false)];
  return Buffer.concat([first.subarray(0, -1), second.subarray(second.indexOf(0x2c, 13))]);
}

describe('a thumbnail', () => {
  it.each([
    ['a progressive JPEG', sample('progressiveJpeg'), BLUE],
    ['a lossy WebP', sample('lossyWebp'), [40, 40, 200, 128]],
    ['a lossless WebP', sample('losslessWebp'), [40, 40, 200, 128]],
    [
      'an animated WebP',
      webp(
        webpHeader(0x02, 160, 48),
        webpChunk('ANIM', Buffer.alloc(6)),
        webpFrame(160, 48, lossless.subarray(12)),
        webpFrame(80, 40, encoded(pixelsOf(80, 40, () => RED)).webp.subarray(12)),
      ),
      BLUE,
    ],
    ['an animated GIF', animatedGif(), BLUE],
    ['an interlaced PNG', interlaced(halves), BLUE],
    ['a BMP', bmp(halves), BLUE],
  ] as const)('is made of %s', async (_, file, right) => {
    const pixels = await pixelsIn(file);
    expect([pixels.width, pixels.height]).toEqual([160, 48]);
    const colors = [colorAt(pixels, 8, 40), colorAt(pixels, 150, 40)];
    expect([near(colors[0]!, RED), near(colors[1]!, right)], colors.join(' ')).toEqual([true, true]);
  });

  it('is made of a PNG with a palette that is clear in part, and of one with 16 bits a sample', async () => {
    const palette = png(4, 1, Buffer.of(0, 0b00011000), {
      color: 3,
      depth: 2,
      more: [
        ['PLTE', Buffer.of(200, 40, 40, 40, 40, 200, 1, 2, 3)],
        ['tRNS', Buffer.of(255, 0)],
      ],
    });
    const pixels = await pixelsIn(palette);
    expect([0, 1, 2].map((x) => colorAt(pixels, x, 0))).toEqual([RED, [40, 40, 200, 0], [1, 2, 3, 255]]);
    const deep = png(1, 1, Buffer.of(0, 200, 200, 40, 40, 40, 40), { depth: 16 });
    expect(colorAt(await pixelsIn(deep), 0, 0)).toEqual(RED);
  });

  it('is upright, and says how large the picture is as it is seen', async () => {
    const wide = encoded(pixelsOf(1_400, 60, (x) => (x < 700 ? RED : BLUE))).jpeg;
    const found = await made(oriented(wide, 6));
    expect(found.sides).toEqual({ width: 60, height: 1_400 });
    if ('why' in found) throw new Error(found.why);
    const { width, height } = found.pixels;
    expect([width, height]).toEqual([27, 640]);
    expect(near(colorAt(found.pixels, 13, 10), RED)).toBe(true);
    expect(near(colorAt(found.pixels, 13, 630), BLUE)).toBe(true);
  });

  it('is none of what is too large, which is not unpacked, nor of what is damaged', async () => {
    const rows = Buffer.alloc(10);
    for (const [file, why, ...sides] of [
      [png(50_000, 50_000, rows), 'the image is too large', 50_000, 50_000],
      [png(8_000, 6_600, rows), 'the image is too large', 8_000, 6_600],
      [png(5_200, 5_200, rows, { depth: 16 }), 'the image is too large', 5_200, 5_200],
      [emptyScans(50_000, 50_000, 1), 'the image is too large', 50_000, 50_000],
      [webp(webpHeader(0, 16_000, 16_000), lossless.subarray(12)), 'the image is too large', 16_000, 16_000],
      [gif(160, 48, () => true, [60_000, 60_000]), 'the image is too large', 160, 48],
      [png(200, 60, Buffer.alloc(30_000_000)), 'it has more data than pixels', 200, 60],
      [noise(200, 60).subarray(0, -20), 'it is damaged'],
      [jpeg.subarray(0, 300), 'it is damaged'],
      [lossless.subarray(0, -4), 'it is damaged'],
      [gif(160, 48, () => true).subarray(0, -9), 'it is damaged'],
    ] as const) {
      const [width, height] = sides;
      expect(await made(file)).toEqual({ sides: width === undefined ? undefined : { width, height }, why });
    }
  });

  it('is made in a process that ends with it', { tags: 'thorough' }, async () => {
    const found = await thumbnailOf(interlaced(halves));
    expect(found).toEqual({ sides: { width: 160, height: 48 }, pixels: halves });
  });
});
