import type { Thumbnail } from '../base/pixels.ts';
import { createOffload } from '../platform/workers/offload.ts';
import { thumbnailTask } from '../shared/attachments/tasks.ts';

/**
 * A small picture of an image, made in a process of its own, which ends with it.
 * @param signal ends it at once, and the process
 * @throws Problem tooLarge PAYLOAD_TOO_LARGE if it needs too much memory, unavailable OVERLOADED if the process can't be started
 */
export async function thumbnailOf(image: Uint8Array, signal?: AbortSignal): Promise<Thumbnail> {
  await using offload = createOffload();
  return await offload.run(thumbnailTask, image, signal && { signal });
}
