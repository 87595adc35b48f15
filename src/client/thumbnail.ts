import type { Thumbnail } from '../base/pixels.ts';

/** Makes a small picture of an image on this machine, whatever is in it. The decoder is loaded in a process of its own. */
export async function thumbnailOf(image: Uint8Array, signal?: AbortSignal): Promise<Thumbnail> {
  const { thumbnailOf: made } = await import('../node/thumbnail.ts');
  return await made(image, signal);
}
