import type { Offload } from '../../../service/ports/workers.ts';
import type { ByteReader } from './byte-reader.ts';

/** What a file turned out to be, known at its end. The sides are 0 for sound. */
export interface MediaFacts {
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Yields a file without its metadata while it arrives, in bounded memory.
 * @throws Problem invalid MEDIA_DAMAGED, unsupported UNSUPPORTED_MEDIA_TYPE, unavailable OVERLOADED
 */
export type Cleaner = (bytes: ByteReader, offload: Offload) => AsyncGenerator<Uint8Array, MediaFacts>;

/** Boxes, elements or pages of one file. An hour of video has some hundred thousand. */
export const MOST_PARTS = 1_000_000;
