import { gifParts } from './gif.ts';

/** The sides of each picture of an animation. Still pictures have none, except those of GIF. @param image without metadata */
export function* frameSides(type: string, image: Buffer): Generator<readonly [width: number, height: number]> {
  switch (type) {
    case 'image/gif':
      for (const part of gifParts(image))
        if (!(part instanceof Uint8Array) && image[part.start] === 0x2c && part.start >= 13)
          yield [image.readUInt16LE(part.start + 5), image.readUInt16LE(part.start + 7)];
      return;
    case 'image/png':
      // fcTL (PNG, third edition, 11.3.6.2)
      for (let at = 8; at + 12 <= image.length; at += 12 + image.readUInt32BE(at))
        if (image.toString('latin1', at + 4, at + 8) === 'fcTL')
          yield [image.readUInt32BE(at + 12), image.readUInt32BE(at + 16)];
      return;
    case 'image/webp':
      for (let at = 12; at + 8 <= image.length;) {
        const length = image.readUInt32LE(at + 4);
        if (image.toString('latin1', at, at + 4) === 'ANMF')
          yield [1 + image.readUIntLE(at + 14, 3), 1 + image.readUIntLE(at + 17, 3)];
        at += 8 + length + (length % 2);
      }
  }
}
