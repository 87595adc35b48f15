import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { shrunk, sidesWithin, type Pixels } from '../../src/base/pixels.ts';
import { halfBlocks, lookOf } from '../../src/cli/kit/preview/half-blocks.ts';
import { paletteOf } from '../../src/cli/kit/terminal.ts';
import { pixelsOf } from '../services/filevault/pictures.ts';

const room = { columns: 80, lines: 24 };
const all = { palette: 'all', isLight: false } as const;
const [red, blue, clear] = [
  [200, 0, 0, 255],
  [0, 0, 200, 255],
  [9, 9, 9, 0],
];
const column = (...colors: readonly (readonly number[])[]): Pixels =>
  pixelsOf(1, colors.length, (_, y) => colors[y] ?? []);
const end = '\u001b[0m';
// oxlint-disable-next-line no-control-regex -- the colours of a line
const plain = (line: string): string => line.replaceAll(/\u001b\[[\d;]*m/g, '');

describe('a picture in half blocks', () => {
  it('has two rows of pixels in a line, and is clear where the picture is', () => {
    const line = (...colors: readonly (readonly number[])[]) => halfBlocks(column(...colors), room, all);
    expect(line(red, blue)).toEqual([`\u001b[38;2;200;0;0;48;2;0;0;200m▀${end}`]);
    expect(line(red, red)).toEqual([`\u001b[48;2;200;0;0m ${end}`]);
    expect(line(red, clear)).toEqual([`\u001b[38;2;200;0;0m▀${end}`]);
    expect(line(clear, blue)).toEqual([`\u001b[38;2;0;0;200m▄${end}`]);
    expect(line(clear, clear)).toEqual([' ']);
    // Below the last row is nothing.
    expect(line(red, red, blue)).toEqual([`\u001b[48;2;200;0;0m ${end}`, `\u001b[38;2;0;0;200m▀${end}`]);
  });

  it('names a colour again only where it changes, and takes the background back', () => {
    const beside = pixelsOf(4, 2, (x, y) => (x === 3 && y === 1 ? clear : x === 0 ? blue : red));
    expect(halfBlocks(beside, room, all)).toEqual([
      `\u001b[48;2;0;0;200m \u001b[48;2;200;0;0m  \u001b[38;2;200;0;0;49m▀${end}`,
    ]);
  });

  it('is as large as there is room, in its shape, and never larger than it is', () => {
    const sizes = (width: number, height: number) => {
      const lines = halfBlocks(
        pixelsOf(width, height, () => red),
        { columns: 40, lines: 20 },
        all,
      ).map(plain);
      return [lines[0]?.length, lines.length, new Set(lines.map(({ length }) => length)).size];
    };
    expect(sizes(400, 200)).toEqual([40, 10, 1]);
    expect(sizes(100, 400)).toEqual([10, 20, 1]);
    expect(sizes(16, 16)).toEqual([16, 8, 1]);
    expect(sizes(1000, 1)).toEqual([40, 1, 1]);
    expect(sizes(1, 1000)).toEqual([1, 20, 1]);
  });

  it('has the nearest of 256 colours', () => {
    const code = (...color: number[]) =>
      /48;5;(\d+)m/.exec(
        halfBlocks(column([...color, 255], [...color, 255]), room, { ...all, palette: '256' })[0]!,
      )?.[1];
    for (const [wanted, ...color] of [
      ['16', 0, 0, 0],
      ['231', 255, 255, 255],
      ['196', 250, 10, 5],
      ['21', 0, 0, 255],
      ['110', 130, 180, 210],
      ['244', 128, 128, 128],
      ['232', 9, 8, 7],
      ['255', 240, 238, 237],
      ['17', 0, 0, 60],
    ] as const)
      expect(code(...color), color.join()).toBe(wanted);
  });

  it('has characters of more ink where it is bright, or on light paper where it is dark', () => {
    const steps = pixelsOf(5, 2, (x) => [x * 63, x * 63, x * 63, x === 4 ? 0 : 255]);
    expect(halfBlocks(steps, room, { palette: 'none', isLight: false })).toEqual([' :=# ']);
    expect(halfBlocks(steps, room, { palette: 'none', isLight: true })).toEqual(['@#+: ']);
  });

  it('is drawn as the terminal says it can', () => {
    const output = Object.assign(new Writable(), { isTTY: true });
    for (const [wanted, env] of [
      ['256', {}],
      ['256', { COLORTERM: 'yes' }],
      ['all', { COLORTERM: 'truecolor' }],
      ['all', { COLORTERM: '24bit' }],
      ['none', { COLORTERM: 'truecolor', NO_COLOR: '1' }],
      ['none', { COLORTERM: 'truecolor', TERM: 'dumb' }],
      ['256', { FORCE_COLOR: '1', TERM: 'dumb' }],
      ['all', { FORCE_COLOR: '3' }],
      ['none', { FORCE_COLOR: '0', COLORTERM: 'truecolor' }],
    ] as const)
      expect(paletteOf(output, env), JSON.stringify(env)).toBe(wanted);
    expect(paletteOf(new Writable(), { COLORTERM: 'truecolor' })).toBe('none');
    const light = ['15;0', '0;15', '0;default;15', '12;8', '0;7', ''].map(
      (COLORFGBG) => lookOf(output, { COLORFGBG }).isLight,
    );
    expect(light).toEqual([false, true, true, false, true, false]);
  });
});

describe('a smaller picture', () => {
  it('is the mean of what was there, in which clear pixels have no colour', () => {
    expect([...shrunk(column(red, blue), { width: 1, height: 1 }).bytes]).toEqual([100, 0, 100, 255]);
    expect([...shrunk(column(red, [0, 255, 0, 0]), { width: 1, height: 1 }).bytes]).toEqual([200, 0, 0, 128]);
    expect([...shrunk(column(clear, clear), { width: 1, height: 1 }).bytes]).toEqual([0, 0, 0, 0]);
    // Three become two: each has half of the middle one.
    const two = shrunk(
      pixelsOf(3, 1, (x) => [x * 90, 0, 0, 255]),
      { width: 2, height: 1 },
    );
    expect([...two.bytes]).toEqual([30, 0, 0, 255, 150, 0, 0, 255]);
  });

  it('keeps a colour that is the same everywhere, and its sides within what is asked', () => {
    for (const [width, height] of [
      [127, 61],
      [61, 127],
      [641, 3],
    ] as const) {
      const same = pixelsOf(width, height, () => [250, 3, 77, 200]);
      const sides = sidesWithin(same, { width: 40, height: 40 });
      expect(Math.max(sides.width, sides.height)).toBe(40);
      const { bytes } = shrunk(same, sides);
      expect(bytes).toEqual(pixelsOf(sides.width, sides.height, () => [250, 3, 77, 200]).bytes);
    }
  });
});
