import { contentTypeOf } from '../content-type.ts';

/** The media types of images that can be decoded. */
export const imageTypes = ['image/bmp', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** By what the file is, not by what it is called. */
export function imageTypeOf(file: Uint8Array): ImageType | undefined {
  if (file[0] === 0x42 && file[1] === 0x4d && file.length > 26) return 'image/bmp';
  const type = contentTypeOf(file);
  return imageTypes.find((known) => known === type);
}
