import { task } from '../../../service/ports/task.ts';
import type { ImageType } from '../../../shared/attachments/images/image-type.ts';

export interface MarkJob {
  /** of an image, the type that its owner gave it */
  readonly kind: 'text' | ImageType;
  readonly bytes: Uint8Array;
  /** lines for people, an image has them below each other */
  readonly visible: readonly string[] | undefined;
  /** hex */
  readonly id: string | undefined;
}

/** Why a file can't be marked, for people; or the marked file. */
export type Marked = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly impossible: string };

/** Images come from whoever may upload, so this task has little memory and one thread. */
export const markTask = task<MarkJob, Marked>({ name: 'mark-file', memory: 256, atOnce: 1, queued: 32, apart: true });

/** Reads the ids of watermarks. */
export const readMarkTask = task<Uint8Array, string[]>({
  name: 'read-mark',
  memory: 256,
  atOnce: 1,
  queued: 32,
  apart: true,
});
