import { orientationOf, tiffOf } from './exif.ts';
import { MalformedImage, type Part } from './part.ts';

/** Markers of ITU-T T.81, table B.1, by their second byte. */
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;

/**
 * The segments of a JPEG without comments and application data: EXIF and XMP (APP1), IPTC (APP13), thumbnails, further pictures and other
 * data of programs. Three segments stay, because the picture looks different without them: JFIF's own header without its thumbnail, the
 * colour profile (ICC) and Adobe's colour transform. A new EXIF segment holds only the orientation.
 */
export function* jpegParts(image: Buffer): Generator<Part> {
  yield { start: 0, end: 2 };
  let at = 2;
  let oriented = false;
  for (;;) {
    const start = at;
    // Any number of 0xff may stand before a marker.
    while (image[at] === 0xff && image[at + 1] === 0xff) at += 1;
    const marker = image[at + 1];
    if (image[at] !== 0xff || marker === undefined || marker === 0) throw new MalformedImage(`no marker at ${start}`);
    // Bytes after the end do not belong to the image.
    if (marker === END_OF_IMAGE) {
      yield { start: at, end: at + 2 };
      return;
    }
    if (marker === START_OF_IMAGE) throw new MalformedImage('a picture in the picture');
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      yield { start: at, end: at + 2 };
      at += 2;
      continue;
    }
    if (at + 4 > image.length) throw new MalformedImage('cut off');
    const end = at + 2 + image.readUInt16BE(at + 2);
    if (end < at + 4 || end > image.length) throw new MalformedImage(`a segment beyond the end at ${at}`);
    const content = image.subarray(at + 4, end);
    if (marker === APP1 && !oriented) {
      const orientation = orientationOf(content);
      if (orientation !== undefined) yield exifOf(orientation);
      oriented = orientation !== undefined;
    }
    if (isKept(marker, content)) yield marker === APP0 ? jfifOf(content) : { start: at, end };
    at = end;
    if (marker === START_OF_SCAN) {
      const scanEnd = endOfScan(image, at);
      yield { start: at, end: scanEnd };
      at = scanEnd;
    }
  }
}

function isKept(marker: number, content: Buffer): boolean {
  if (marker === COMMENT) return false;
  if (marker < APP0 || marker > APP15) return true;
  if (marker === APP0) return content.length >= 14 && startsWith(content, 'JFIF\0');
  if (marker === APP2) return startsWith(content, 'ICC_PROFILE\0');
  return marker === APP14 && content.length === 12 && startsWith(content, 'Adobe');
}

/** JFIF's header (ITU-T T.871, 10.1) without the thumbnail that may follow it. */
function jfifOf(content: Buffer): Uint8Array {
  return Buffer.concat([Buffer.from([0xff, APP0, 0, 16]), content.subarray(0, 12), Buffer.from([0, 0])]);
}

/** Finds the end of compressed data, which is the next marker. In the data 0xff stands only before 0 and before the restart markers. */
function endOfScan(image: Buffer, from: number): number {
  for (let at = image.indexOf(0xff, from); at >= 0; at = image.indexOf(0xff, at + 1)) {
    const next = image[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new MalformedImage('it has no end');
}

/** An EXIF segment that holds only the orientation. */
function exifOf(orientation: number): Uint8Array {
  const tiff = tiffOf(orientation);
  return Buffer.concat([Buffer.from([0xff, APP1, 0, 2 + 6 + tiff.length]), Buffer.from('Exif\0\0', 'latin1'), tiff]);
}

function startsWith(content: Buffer, text: string): boolean {
  return content.toString('latin1', 0, text.length) === text;
}
