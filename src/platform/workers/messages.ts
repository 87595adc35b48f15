import type { Failure } from './failure.ts';

/** A thread does one piece of work at a time, so messages need no id. */
export interface Asked {
  readonly name: string;
  readonly input: unknown;
}

/** What a process is asked that does the work in its thread. */
export interface AskedProcess {
  /** MiB, for the thread */
  readonly memory: number;
  readonly asked: Asked;
}

export type Said = { readonly progress: unknown } | { readonly output: unknown } | { readonly failure: Failure };
