import { task } from '../offload/task.ts';
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
export const imageTask = task<Uint8Array, CleanImage>({ name: 'clean-image', memory: 64, atOnce: 1, queued: 32 });
