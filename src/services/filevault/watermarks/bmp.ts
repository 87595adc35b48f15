import { assertSides, Unreadable, type Pixels } from './pixels.ts';

export function isBmp(file: Uint8Array): boolean {
  return file.length > 54 && file[0] === 0x42 && file[1] === 0x4d;
}

/** Decodes a bitmap of Windows with 24 or 32 bits a pixel and no compression. @throws Unreadable */
export function decodeBmp(bytes: Uint8Array): Pixels {
  if (!isBmp(bytes)) throw new Unreadable('it is no BMP');
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [start, headerBytes] = [file.readUInt32LE(10), file.readUInt32LE(14)];
  const [width, lines] = [file.readInt32LE(18), file.readInt32LE(22)];
  const [depth, compression] = [file.readUInt16LE(28), file.readUInt32LE(30)];
  const height = Math.abs(lines);
  if (headerBytes < 40 || (depth !== 24 && depth !== 32) || compression !== 0)
    throw new Unreadable('it is a bitmap of another kind');
  assertSides(width, height);
  const rowBytes = Math.ceil((width * depth) / 32) * 4;
  if (start < 14 + headerBytes || start + rowBytes * height > file.length) throw new Unreadable('it breaks off');
  const out = new Uint8Array(width * height * 4);
  const step = depth / 8;
  for (let y = 0; y < height; y += 1) {
    // Usually the lowest row comes first.
    const row = start + rowBytes * (lines > 0 ? height - 1 - y : y);
    for (let x = 0; x < width; x += 1) {
      const at = row + x * step;
      out.set([file[at + 2] ?? 0, file[at + 1] ?? 0, file[at] ?? 0, 255], (y * width + x) * 4);
    }
  }
  return { width, height, bytes: out };
}
