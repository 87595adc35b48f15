import { crc32 } from 'node:zlib';
import { orientationOfTiff, tiffOf } from './exif.ts';
import { MalformedImage, type Part } from './part.ts';

/**
 * The chunks that change how the picture looks: the critical ones, transparency, colour, pixel shape, and the frames of animations (PNG,
 * third edition, 4.7 and 11.3). All other chunks are removed: texts, times, EXIF, and private chunks of programs. Of EXIF an orientation
 * other than upright stays.
 */
const kept: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT'.split(' '),
);

export function* pngParts(image: Buffer): Generator<Part> {
  yield { start: 0, end: 8 };
  let turned = false;
  for (let at = 8; ;) {
    if (at + 12 > image.length) throw new MalformedImage('cut off');
    const end = at + 12 + image.readUInt32BE(at);
    if (end > image.length) throw new MalformedImage(`a chunk beyond the end at ${at}`);
    const type = image.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) throw new MalformedImage(`no chunk at ${at}`);
    if (at === 8 && type !== 'IHDR') throw new MalformedImage('no header');
    if (kept.has(type)) yield { start: at, end };
    else if (type === 'eXIf' && !turned) {
      const orientation = orientationOfTiff(image.subarray(at + 8, end - 4)) ?? 1;
      turned = orientation !== 1;
      if (turned) yield chunkOf('eXIf', tiffOf(orientation));
    }
    // A reader must understand a critical chunk (capital letter). The picture would be wrong without an unknown one.
    else if (/^[A-Z]/.test(type)) throw new MalformedImage(`an unknown critical chunk at ${at}`);
    // Bytes after the end do not belong to the image.
    if (type === 'IEND') return;
    at = end;
  }
}

function chunkOf(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
