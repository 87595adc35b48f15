import { task } from '../../../service/ports/task.ts';
import type { Context } from './attachments.ts';
import type { ParsedMessage } from './parse.ts';

export interface ParseJob extends Context {
  /** as `skeletonOf` makes it */
  readonly skeleton: Uint8Array;
}

/** Reads a long message. The heaviest that a sender can make takes some seconds, so the rest of them don't wait in the same thread. */
export const parseTask = task<ParseJob, ParsedMessage>({
  name: 'parse-mail',
  memory: 256,
  atOnce: 1,
  queued: 64,
  apart: true,
});
