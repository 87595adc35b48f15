import { openWithKey } from '../../crypto/sealing.ts';
import type { Offload } from '../../service/ports/workers.ts';
import type { CleanImage } from './images/without-metadata.ts';
import { sealAndHash } from './seal-work.ts';
import { cleanMovie } from './media/movie.ts';
import {
  imageTask,
  movieTask,
  openTask,
  pictureTask,
  sealTask,
  type CleanMovie,
  type OpenJob,
  type Picture,
  type PictureJob,
  type SealedContent,
  type SealJob,
} from './tasks.ts';

/** Content up to this size is sealed and hashed in place, in about a millisecond. A thread would take as long to answer. */
const INLINE_BYTES = 256 * 1024;

/** @throws Problem unavailable OVERLOADED */
export async function sealContent(offload: Offload, job: SealJob): Promise<SealedContent> {
  if (job.content.length > INLINE_BYTES) return await offload.run(sealTask, job);
  return sealAndHash(job);
}

/**
 * Opens sealed content. The ciphertext may be transferred to a thread, and is unusable afterwards.
 * @throws CryptoError in place, or an error with its message from a thread; Problem unavailable OVERLOADED
 */
export async function openContent(offload: Offload, job: OpenJob): Promise<Uint8Array> {
  const { sealed } = job;
  if (sealed.length <= INLINE_BYTES) return openWithKey(job.key, sealed, job.context);
  const isWhole = sealed.byteLength === sealed.buffer.byteLength;
  return await offload.run(openTask, job, { transfer: isWhole ? [sealed.buffer as ArrayBuffer] : [] });
}

/** Runs `withoutMetadata` in a thread. @throws Problem as `withoutMetadata` does, and unavailable OVERLOADED */
export async function cleanImage(offload: Offload, image: Uint8Array): Promise<CleanImage> {
  return await offload.run(imageTask, image);
}

/**
 * Checks a picture in a thread. The image is transferred.
 * @throws Problem unsupported UNSUPPORTED_MEDIA_TYPE, invalid MEDIA_DAMAGED, tooLarge MEDIA_TOO_LARGE, unavailable OVERLOADED
 */
export async function checkedPicture(offload: Offload, job: PictureJob): Promise<Picture> {
  return await offload.run(pictureTask, job, { transfer: [job.image.buffer] });
}

/** Cleans the index of a video, in a thread if it is long. @param moov is transferred. @throws Problem as `cleanMovie` does */
export async function cleanedMovie(offload: Offload, moov: Uint8Array<ArrayBuffer>): Promise<CleanMovie> {
  if (moov.length <= INLINE_BYTES) return cleanMovie(moov);
  return await offload.run(movieTask, moov, { transfer: [moov.buffer] });
}
