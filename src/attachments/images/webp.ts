import { MalformedImage, type Part } from './part.ts';

/** Bits of the first byte of VP8X (RFC 9649, 2.7): EXIF and XMP follow. */
const HAS_METADATA = 0x08 | 0x04;

/** The chunks of the picture itself. All other chunks are removed. */
const kept: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'ICCP']);

export function* webpParts(image: Buffer): Generator<Part> {
  if (image.length < 12) throw new MalformedImage('cut off');
  const whole = 8 + image.readUInt32LE(4);
  if (whole > image.length || whole < 12) throw new MalformedImage('it ends elsewhere than it says');
  const parts: Part[] = [];
  let size = 4;
  // Bytes after the end do not belong to the image.
  for (let at = 12; at < whole;) {
    if (at + 8 > whole) throw new MalformedImage('cut off');
    const length = image.readUInt32LE(at + 4);
    // Chunks begin at even offsets. The last one may lack its padding byte.
    const end = Math.min(at + 8 + length + (length % 2), whole);
    if (at + 8 + length > whole) throw new MalformedImage(`a chunk beyond the end at ${at}`);
    const type = image.toString('latin1', at, at + 4);
    if (kept.has(type)) {
      const part = type === 'VP8X' ? withoutFlags(image.subarray(at, end)) : { start: at, end };
      parts.push(part);
      size += end - at;
    }
    at = end;
  }
  const header = Buffer.from(image.subarray(0, 12));
  header.writeUInt32LE(size, 4);
  yield header;
  yield* parts;
}

function withoutFlags(chunk: Buffer): Uint8Array {
  const changed = Buffer.from(chunk);
  if (changed.length < 18) throw new MalformedImage('a header that is too short');
  changed.writeUInt8(changed.readUInt8(8) & ~HAS_METADATA, 8);
  return changed;
}
