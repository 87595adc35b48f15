import type { Work } from '../offload/task.ts';
import { withoutMetadata, type CleanImage } from './images/without-metadata.ts';

/** In a thread, which gives the image away. */
export const imageWork: Work<Uint8Array, CleanImage> = (image, { transfer }) => {
  const clean = withoutMetadata(image);
  transfer.push(clean.bytes.buffer);
  return clean;
};
