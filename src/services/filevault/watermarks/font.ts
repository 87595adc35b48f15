/** Letters of 5 by 7 points: seven rows, each five bits, the leftmost one first. */
const rows: Readonly<Record<string, string>> = {
  ' ': '00000000000000',
  '-': '0000001f000000',
  _: '0000000000001f',
  '.': '00000000000c0c',
  ':': '000c0c000c0c00',
  '@': '0e11171517100e',
  '?': '0e110102040004',
  '0': '0e11131519110e',
  '1': '040c040404040e',
  '2': '0e11010608101f',
  '3': '1f02040601110e',
  '4': '02060a121f0202',
  '5': '1f101e0101110e',
  '6': '0608101e11110e',
  '7': '1f010204080808',
  '8': '0e11110e11110e',
  '9': '0e11110f01020c',
  A: '0e11111f111111',
  B: '1e11111e11111e',
  C: '0e11101010110e',
  D: '1e11111111111e',
  E: '1f10101e10101f',
  F: '1f10101e101010',
  G: '0e11101711110f',
  H: '1111111f111111',
  I: '0e04040404040e',
  J: '0702020202120c',
  K: '11121418141211',
  L: '1010101010101f',
  M: '111b1515111111',
  N: '11191513111111',
  O: '0e11111111110e',
  P: '1e11111e101010',
  Q: '0e11111115120d',
  R: '1e11111e141211',
  S: '0f10100e01011e',
  T: '1f040404040404',
  U: '1111111111110e',
  V: '11111111110a04',
  W: '11111115151b11',
  X: '11110a040a1111',
  Y: '11110a04040404',
  Z: '1f01020408101f',
};

/** Points from one letter to the next, and from one line to the next. */
export const LETTER_WIDTH = 6;
export const LINE_HEIGHT = 9;

/** @returns the points of a line, from its upper left corner. Letters that the font doesn't have are question marks. */
export function pointsOf(line: string): { readonly x: number; readonly y: number }[] {
  return Array.from(line.toUpperCase(), (letter) => letter).flatMap((letter, at) => {
    const bits = Buffer.from(rows[letter] ?? rows['?'] ?? '', 'hex');
    return [...bits].flatMap((row, y) =>
      [0, 1, 2, 3, 4].flatMap((x) => ((row >> (4 - x)) & 1 ? [{ x: at * LETTER_WIDTH + x, y }] : [])),
    );
  });
}
