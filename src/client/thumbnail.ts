import type { Pixels, Sides } from '../base/pixels.ts';

/** A small picture of an image, upright; or why there is none, in half a sentence. */
export type Thumbnail =
  | { readonly sides: Sides; readonly pixels: Pixels }
  | { readonly sides: Sides | undefined; readonly why: string };

/** Makes a small picture of an image on this machine, whatever is in it. The decoder is loaded in a process of its own. */
export async function thumbnailOf(image: Uint8Array): Promise<Thumbnail> {
  const { thumbnailOf: made } = await import('../node/thumbnail.ts');
  return await made(image);
}
