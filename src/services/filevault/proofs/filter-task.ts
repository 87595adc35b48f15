import { task } from '../../../service/ports/task.ts';
import type { BuiltFilter } from './filter-tree.ts';

export interface FilterJob {
  /** 32 bytes each, in one piece */
  readonly tags: Uint8Array;
  readonly salt: Uint8Array;
  readonly bits: number;
}

/** Builds a filter with its tree, which takes some seconds for a million files. */
export const filterTask = task<FilterJob, BuiltFilter>({ name: 'build-filter', memory: 64, atOnce: 1, queued: 64 });
