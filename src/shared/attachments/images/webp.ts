import { orientationOfTiff, tiffOf } from './exif.ts';
import { MalformedImage, type Part } from './part.ts';

/** Bits of the first byte of VP8X (RFC 9649, 2.7): EXIF follows, and XMP. */
const HAS_EXIF = 0x08;
const HAS_METADATA = HAS_EXIF | 0x04;

/** The chunks of the picture itself. All other chunks are removed, but an orientation other than upright stays of EXIF. */
const kept: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'ICCP']);

export function* webpParts(image: Buffer): Generator<Part> {
  if (image.length < 12) throw new MalformedImage('cut off');
  const whole = 8 + image.readUInt32LE(4);
  if (whole > image.length || whole < 12) throw new MalformedImage('it ends elsewhere than it says');
  const parts: Part[] = [];
  let size = 4;
  let extended: Buffer | undefined;
  let turned = false;
  // Bytes after the end do not belong to the image.
  for (let at = 12; at < whole;) {
    if (at + 8 > whole) throw new MalformedImage('cut off');
    const length = image.readUInt32LE(at + 4);
    // Chunks begin at even offsets. The last one may lack its padding byte.
    const end = Math.min(at + 8 + length + (length % 2), whole);
    if (at + 8 + length > whole) throw new MalformedImage(`a chunk beyond the end at ${at}`);
    const type = image.toString('latin1', at, at + 4);
    if (kept.has(type)) {
      if (type === 'VP8X') extended = withoutFlags(image.subarray(at, end));
      parts.push(type === 'VP8X' && extended !== undefined ? extended : { start: at, end });
      size += end - at;
    } else if (type === 'EXIF' && extended !== undefined && !turned) {
      const orientation = orientationOfTiff(image.subarray(at + 8, at + 8 + length)) ?? 1;
      turned = orientation !== 1;
      if (turned) {
        const chunk = chunkOf('EXIF', tiffOf(orientation));
        extended.writeUInt8(extended.readUInt8(8) | HAS_EXIF, 8);
        parts.push(chunk);
        size += chunk.length;
      }
    }
    at = end;
  }
  const header = Buffer.from(image.subarray(0, 12));
  header.writeUInt32LE(size, 4);
  yield header;
  yield* parts;
}

/** @param content an even number of bytes */
function chunkOf(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

function withoutFlags(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk);
  if (changed.length < 18) throw new MalformedImage('a header that is too short');
  changed.writeUInt8(changed.readUInt8(8) & ~HAS_METADATA, 8);
  return changed;
}
