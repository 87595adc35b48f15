const SIZE = 32;
const INK = [0xad, 0x5c, 0x0b, 0xff]; // blue, green, red, opacity
const NOTHING = [0, 0, 0, 0];

/** A ring of people around a table, as an ICO file with one bitmap. Every browser takes these few bytes, and no file must be found. */
export function icon(): Uint8Array<ArrayBuffer> {
  const pixels = SIZE * SIZE * 4;
  const mask = (SIZE * SIZE) / 8;
  const file = new Uint8Array(6 + 16 + 40 + pixels + mask);
  const view = new DataView(file.buffer);
  const numbers: readonly (readonly [at: number, bytes: 2 | 4, value: number])[] = [
    // ICONDIR: type icon, one image
    [2, 2, 1],
    [4, 2, 1],
    // ICONDIRENTRY: planes, bits, length, offset
    [10, 2, 1],
    [12, 2, 32],
    [14, 4, 40 + pixels + mask],
    [18, 4, 22],
    // BITMAPINFOHEADER: its length, width, height of picture and mask together, planes, bits, length
    [22, 4, 40],
    [26, 4, SIZE],
    [30, 4, SIZE * 2],
    [34, 2, 1],
    [36, 2, 32],
    [42, 4, pixels + mask],
  ];
  for (const [at, bytes, value] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  file[6] = SIZE;
  file[7] = SIZE;
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) file.set(isInk(x, y) ? INK : NOTHING, 62 + (y * SIZE + x) * 4);
  }
  return file;
}

function isInk(x: number, y: number): boolean {
  const [dx, dy] = [x - (SIZE - 1) / 2, y - (SIZE - 1) / 2];
  const distance = Math.hypot(dx, dy);
  if (distance < 5.5) return true;
  const people = 7;
  return Array.from({ length: people }, (_, at) => (at * 2 * Math.PI) / people).some(
    (angle) => Math.hypot(dx - 11.5 * Math.cos(angle), dy - 11.5 * Math.sin(angle)) < 3.6,
  );
}
