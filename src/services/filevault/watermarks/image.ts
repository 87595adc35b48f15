import { CODE_BITS, codeOf, idIn } from './code.ts';
import { LETTER_WIDTH, LINE_HEIGHT, pointsOf } from './font.ts';
import type { Pixels } from '../../../base/pixels.ts';
import { Unreadable } from '../../../shared/attachments/images/unreadable.ts';

/** Rows of a tile, in lines of text: the text, and empty ones. */
const TILE_LINES = 5;
const LEAST_OPACITY = 160;

/** Writes lines over an image, again and again, so that no part of some size is without. In place. @throws Unreadable if there is no room */
export function drawLines({ width, height, bytes }: Pixels, lines: readonly string[]): void {
  const letters = Math.max(...lines.map(({ length }) => length));
  const needed = letters * LETTER_WIDTH;
  if (width < needed || height < lines.length * LINE_HEIGHT) throw new Unreadable('the image is too small');
  const scale = Math.max(
    1,
    Math.min(Math.floor(width / (needed * 2)), Math.floor(height / (LINE_HEIGHT * TILE_LINES * 2))),
  );
  const points = lines.flatMap((line, index) => pointsOf(line).map(({ x, y }) => ({ x, y: y + index * LINE_HEIGHT })));
  const [across, down] = [(needed + 4 * LETTER_WIDTH) * scale, LINE_HEIGHT * TILE_LINES * scale];
  for (let top = 0, row = 0; top < height; top += down, row += 1)
    for (let left = row % 2 === 0 ? 0 : -Math.floor(across / 2); left < width; left += across)
      for (const { x, y } of points)
        for (let dot = 0; dot < scale * scale; dot += 1) {
          const at = { x: left + x * scale + (dot % scale), y: top + y * scale + Math.floor(dot / scale) };
          if (at.x >= 0 && at.x < width && at.y < height) blend(bytes, (at.y * width + at.x) * 4);
        }
}

/** Moves a pixel halfway to white where it is dark, and to black where it is light. */
function blend(bytes: Uint8Array, at: number): void {
  const [red = 0, green = 0, blue = 0, opacity = 0] = bytes.subarray(at, at + 4);
  const target = red * 3 + green * 6 + blue < 1_280 ? 255 : 0;
  bytes.set([(red + target) >> 1, (green + target) >> 1, (blue + target) >> 1, Math.max(opacity, LEAST_OPACITY)], at);
}

/** Which bit of the code a pixel has. A part that is cut out has all bits as well, turned by a number that a reader tries. */
function bitAt(x: number, y: number): number {
  return (x + 31 * y) % CODE_BITS;
}

/** Writes a code into the lowest bits of all three colours, as often as there is room. In place. @throws Unreadable if it can't be read back */
export function hideCode(pixels: Pixels, id: string): void {
  const code = codeOf(id);
  const { width, height, bytes } = pixels;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const bit = code[bitAt(x, y)] ?? 0;
      const at = (y * width + x) * 4;
      for (let color = 0; color < 3; color += 1) bytes[at + color] = ((bytes[at + color] ?? 0) & 254) | bit;
    }
  if (codeIn(pixels) !== id) throw new Unreadable('the image is too small');
}

/** @returns the id that an image hides, by the majority of its copies */
export function codeIn({ width, height, bytes }: Pixels): string | undefined {
  const votes = Array.from({ length: CODE_BITS }, () => 0);
  const seen = Array.from({ length: CODE_BITS }, () => 0);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [bit, at] = [bitAt(x, y), (y * width + x) * 4];
      for (let color = 0; color < 3; color += 1)
        votes[bit] = (votes[bit] ?? 0) + (((bytes[at + color] ?? 0) & 1) === 1 ? 1 : -1);
      seen[bit] = 1;
    }
  if (seen.includes(0)) return undefined;
  const bits = votes.map((vote) => (vote > 0 ? 1 : 0));
  for (let turn = 0; turn < CODE_BITS; turn += 1) {
    const id = idIn(bits.map((_, index) => bits[(index + turn) % CODE_BITS] ?? 0));
    if (id !== undefined) return id;
  }
  return undefined;
}
