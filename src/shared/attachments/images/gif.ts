import { MalformedImage, type Part } from './part.ts';

/** Introducers and labels of GIF89a, 15 to 27. */
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** The applications that say how often an animation is repeated. All other applications are notes of programs, such as XMP. */
const repeating: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/** The blocks of a GIF without comments, plain texts and notes of applications. */
export function* gifParts(image: Buffer): Generator<Part> {
  let at = 13;
  if (image.length < at) throw new MalformedImage('cut off');
  at += tableBytes(image.readUInt8(10));
  if (at > image.length) throw new MalformedImage('cut off');
  yield { start: 0, end: at };
  for (;;) {
    const start = at;
    switch (image[at]) {
      case TRAILER:
        // Bytes after the end do not belong to the image.
        yield { start, end: start + 1 };
        return;
      case IMAGE:
        if (start + 11 > image.length) throw new MalformedImage('cut off');
        // The image descriptor, its own colour table, the code size, and the data.
        at = endOfBlocks(image, start + 10 + tableBytes(image.readUInt8(start + 9)) + 1);
        yield { start, end: at };
        break;
      case EXTENSION:
        at = endOfBlocks(image, start + 2);
        if (isKept(image, start)) yield { start, end: at };
        break;
      default:
        throw new MalformedImage(`no block at ${start}`);
    }
  }
}

function isKept(image: Buffer, start: number): boolean {
  const label = image[start + 1];
  if (label === GRAPHIC_CONTROL) return true;
  return (
    label === APPLICATION && image[start + 2] === 11 && repeating.has(image.toString('latin1', start + 3, start + 14))
  );
}

/** The length in bytes of a colour table that a packed field announces. */
function tableBytes(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1);
}

/** The end of a chain of sub-blocks. Each begins with its length; length 0 ends the chain. */
function endOfBlocks(image: Buffer, from: number): number {
  for (let at = from; ;) {
    const length = image[at];
    if (length === undefined) throw new MalformedImage('cut off');
    at += 1 + length;
    if (length === 0) return at;
  }
}
