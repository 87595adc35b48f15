import type { Thumbnail } from '../../base/pixels.ts';
import { task } from '../../service/ports/task.ts';
import type { CleanImage } from './images/without-metadata.ts';

export interface SealJob {
  /** 32 bytes */
  readonly key: Uint8Array;
  /** 16 bytes, never used before */
  readonly iv: Uint8Array;
  readonly context: Uint8Array;
  readonly content: Uint8Array;
}

export interface SealedContent {
  /** as `sealWithKey` makes it */
  readonly sealed: Uint8Array;
  /** SHA-256 of the content */
  readonly sha256: Uint8Array;
}

/** Encrypts and hashes. Several run at once: a content of 25 MiB takes some 50 ms of a core. */
export const sealTask = task<SealJob, SealedContent>({ name: 'seal-content', memory: 64, atOnce: 2, queued: 64 });

export interface OpenJob {
  /** 32 bytes */
  readonly key: Uint8Array;
  readonly context: Uint8Array;
  /** as `sealWithKey` makes it */
  readonly sealed: Uint8Array;
}

/** Decrypts. It has its own queue, so that readers don't wait for writers. */
export const openTask = task<OpenJob, Uint8Array>({ name: 'open-content', memory: 64, atOnce: 2, queued: 64 });

/** Removes metadata from an image. Images come from untrusted senders, so this task has little memory and one thread of its own. */
export const imageTask = task<Uint8Array, CleanImage>({
  name: 'clean-image',
  memory: 64,
  atOnce: 1,
  queued: 32,
  apart: true,
});

export interface PictureLimits {
  /** pixels of a side, and of the whole */
  readonly side: number;
  readonly pixels: number;
  /** of an animation: pictures, and pixels of all of them */
  readonly frames: number;
  readonly framePixels: number;
}

export interface PictureJob {
  readonly image: Uint8Array<ArrayBuffer>;
  readonly limits: PictureLimits;
}

/** A picture without metadata. The sides are those of the picture as it is shown, turned if it says so. */
export interface Picture extends CleanImage {
  readonly width: number;
  readonly height: number;
}

/** Checks and cleans pictures for others to see. They come from whoever may upload, so it has little memory and one thread. */
export const pictureTask = task<PictureJob, Picture>({
  name: 'check-picture',
  memory: 64,
  atOnce: 1,
  queued: 32,
  apart: true,
});

/** Decodes an image to look at. It comes from whoever may write to somebody, so it has a process of its own. */
export const thumbnailTask = task<Uint8Array, Thumbnail>({
  name: 'shrink-picture',
  memory: 256,
  atOnce: 1,
  queued: 1,
  apart: true,
});

/** The index of a video without metadata: boxes of the same length. */
export interface CleanMovie {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hasVideo: boolean;
  readonly width: number;
  readonly height: number;
}

/** Cleans the index of a video, which may have megabytes. */
export const movieTask = task<Uint8Array<ArrayBuffer>, CleanMovie>({
  name: 'clean-movie',
  memory: 64,
  atOnce: 1,
  queued: 32,
  apart: true,
});
