import { Problem } from '../../base/problem.ts';

/** Width in modules of the quiet zone around the code. ISO 18004 requires four; two are enough on a screen. */
const border = 2;

/**
 * A QR code of half blocks, with two rows of modules on each line. On a terminal it sets its own colours, because scanners need dark on
 * light and most terminals are light on dark.
 *
 * @param width columns of the terminal; infinite if there is none
 * @throws Problem invalid QR_TOO_WIDE
 */
export async function qrCode(text: string, width: number): Promise<string> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'L', border });
  if (size > width)
    throw new Problem(
      'invalid',
      'QR_TOO_WIDE',
      `The QR code needs ${size} columns, and the terminal has ${width}. Make the window wider.`,
    );
  const dark = (row: number, column: number) => data[row]?.[column] === true;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const blocks = Array.from({ length: size }, (_, column) => block(dark(row, column), dark(row + 1, column)));
    lines.push(blocks.join(''));
  }
  // Black on white: half blocks draw the dark modules.
  const [on, off] = Number.isFinite(width) ? ['\u001b[30;107m', '\u001b[0m'] : ['', ''];
  return lines.map((line) => `${on}${line}${off}`).join('\n');
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
