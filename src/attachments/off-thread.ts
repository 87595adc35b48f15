import { openWithKey } from '../crypto/sealing.ts';
import type { Offload } from '../offload/port.ts';
import type { CleanImage } from './images/without-metadata.ts';
import { sealAndHash } from './seal-work.ts';
import { imageTask, openTask, sealTask, type OpenJob, type SealedContent, type SealJob } from './tasks.ts';

/** Sealed and hashed in place up to this size, in about a millisecond: asking a thread would take as long. */
const INLINE_BYTES = 256 * 1024;

/** @throws Problem unavailable OVERLOADED */
export async function sealContent(offload: Offload, job: SealJob): Promise<SealedContent> {
  if (job.content.length > INLINE_BYTES) return await offload.run(sealTask, job);
  return sealAndHash(job);
}

/**
 * The content that was sealed. The ciphertext may be gone then: it is passed on whole.
 * @throws CryptoError in place, and an error of its message from a thread; Problem unavailable OVERLOADED
 */
export async function openContent(offload: Offload, job: OpenJob): Promise<Uint8Array> {
  const { sealed } = job;
  if (sealed.length <= INLINE_BYTES) return openWithKey(job.key, sealed, job.context);
  const isWhole = sealed.byteLength === sealed.buffer.byteLength;
  return await offload.run(openTask, job, { transfer: isWhole ? [sealed.buffer as ArrayBuffer] : [] });
}

/** As `withoutMetadata`, in a thread. @throws Problem as that, and unavailable OVERLOADED */
export async function cleanImage(offload: Offload, image: Uint8Array): Promise<CleanImage> {
  return await offload.run(imageTask, image);
}
