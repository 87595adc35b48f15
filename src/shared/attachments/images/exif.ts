/** The tag of the orientation in the first directory (TIFF 6.0). */
const ORIENTATION = 0x0112;

/** @param content with the name before it, as in JPEG. @returns 1 to 8; undefined if there is no well-formed one */
export function orientationOf(content: Buffer): number | undefined {
  return content.toString('latin1', 0, 6) === 'Exif\0\0' ? orientationIn(content.subarray(6)) : undefined;
}

/** @param tiff the directories alone, as in PNG and WebP; some programs write the name before them there, too */
export function orientationOfTiff(tiff: Buffer): number | undefined {
  return orientationOf(tiff) ?? orientationIn(tiff);
}

function orientationIn(tiff: Buffer): number | undefined {
  if (tiff.length < 8) return undefined;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const read16 = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const entries = read16(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return undefined;
    if (read16(at) !== ORIENTATION) continue;
    const value = read16(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** Directories that hold only the orientation. */
export function tiffOf(orientation: number): Buffer {
  // "MM", 42, directory at 8; one entry: tag, SHORT, one of them, the value; no further directory.
  return Buffer.from([
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
}
