import type { Offload } from '../offload/port.ts';
import type { CleanImage } from './images/without-metadata.ts';
import { sealAndHash } from './seal-work.ts';
import { imageTask, sealTask, type SealedContent, type SealJob } from './tasks.ts';

/** Sealed and hashed in place up to this size, in about a millisecond: asking a thread would take as long. */
const INLINE_BYTES = 256 * 1024;

/** @throws Problem unavailable OVERLOADED */
export async function sealContent(offload: Offload, job: SealJob): Promise<SealedContent> {
  if (job.content.length > INLINE_BYTES) return await offload.run(sealTask, job);
  return sealAndHash(job);
}

/** As `withoutMetadata`, in a thread. @throws Problem as that, and unavailable OVERLOADED */
export async function cleanImage(offload: Offload, image: Uint8Array): Promise<CleanImage> {
  return await offload.run(imageTask, image);
}
