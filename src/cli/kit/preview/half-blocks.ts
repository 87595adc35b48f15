import { shrunk, sidesWithin, type Pixels } from '../../../base/pixels.ts';
import { paletteOf, type Palette, type Terminal } from '../terminal.ts';
import { nearestOf256 } from '../xterm-colours.ts';

/** The room for a picture. */
interface Room {
  readonly columns: number;
  readonly lines: number;
}

/** What a terminal has for pictures. */
interface Look {
  readonly palette: Palette;
  /** whether it writes dark on light; it matters without colours alone */
  readonly isLight: boolean;
}

/** rxvt and others say which of the 16 colours their background is. */
const lightBackground = /;(?:7|1[0-5])$/;

/** @param output where the picture is drawn */
export function lookOf(output: Terminal['stdout'], env: NodeJS.ProcessEnv): Look {
  return { palette: paletteOf(output, env), isLight: lightBackground.test(env['COLORFGBG'] ?? '') };
}

/** Half of this much opacity is drawn. The background of a terminal is not known, so nothing can be mixed with it. */
const OPAQUE = 128;
const reset = '\u001b[0m';
/** From no ink to most, in characters that every font has. */
const shades = ' .:-=+*#%@';

/**
 * Draws a picture with half blocks: a line is two rows of pixels, because a character is about twice as high as it is wide. What is clear
 * stays as the terminal is. Without colours, characters of more and less ink stand for the brightness.
 *
 * @returns lines of at most `columns` columns, with the escapes that colour them, and end with none
 */
export function halfBlocks(picture: Pixels, { columns, lines }: Room, look: Look): string[] {
  const pixels = shrunk(picture, sidesWithin(picture, { width: columns, height: lines * 2 }));
  const line = look.palette === 'none' ? shadedLine : colouredLine;
  return Array.from({ length: Math.ceil(pixels.height / 2) }, (_, at) => line(pixels, at * 2, look));
}

function colouredLine(pixels: Pixels, row: number, { palette }: Look): string {
  let text = '';
  let [front, back] = ['39', '49'];
  for (let x = 0; x < pixels.width; x += 1) {
    const [upper, lower] = [colorAt(pixels, x, row, palette), colorAt(pixels, x, row + 1, palette)];
    const [block, wantedFront, wantedBack] = blockOf(upper, lower);
    const codes: string[] = [];
    if (wantedFront !== undefined && wantedFront !== front) codes.push((front = wantedFront));
    if (wantedBack !== back) codes.push((back = wantedBack));
    text += codes.length === 0 ? block : `\u001b[${codes.join(';')}m${block}`;
  }
  return front === '39' && back === '49' ? text : text + reset;
}

/** ECMA-48 SGR: the character, the code of its colour if it shows one, and that of the background. */
function blockOf(upper: string | undefined, lower: string | undefined): [string, string | undefined, string] {
  if (upper === undefined) return lower === undefined ? [' ', undefined, '49'] : ['▄', `38;${lower}`, '49'];
  if (upper === lower) return [' ', undefined, `48;${lower}`];
  return ['▀', `38;${upper}`, lower === undefined ? '49' : `48;${lower}`];
}

/** @returns the parameters of a colour; undefined if the pixel is clear, or below the picture */
function colorAt(pixels: Pixels, x: number, y: number, palette: Palette): string | undefined {
  const [red = 0, green = 0, blue = 0, opacity = 0] = samplesAt(pixels, x, y);
  if (opacity < OPAQUE) return undefined;
  return palette === 'all' ? `2;${red};${green};${blue}` : `5;${nearestOf256(red, green, blue)}`;
}

function samplesAt({ width, height, bytes }: Pixels, x: number, y: number): Uint8Array {
  return y < height ? bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 4) : new Uint8Array(4);
}

/** Both rows in one character. */
function shadedLine(pixels: Pixels, row: number, { isLight }: Look): string {
  return Array.from({ length: pixels.width }, (_, x) => {
    const ink = (inkAt(pixels, x, row, isLight) + inkAt(pixels, x, row + 1, isLight)) / 2;
    return shades[Math.round(ink * (shades.length - 1))] ?? ' ';
  }).join('');
}

/** How much of a pixel shows, 0 to 1 (the luma of BT.601). What is clear has none. */
function inkAt(pixels: Pixels, x: number, y: number, isLight: boolean): number {
  const [red = 0, green = 0, blue = 0, opacity = 0] = samplesAt(pixels, x, y);
  const brightness = (red * 0.299 + green * 0.587 + blue * 0.114) / 255;
  return ((isLight ? 1 - brightness : brightness) * opacity) / 255;
}
