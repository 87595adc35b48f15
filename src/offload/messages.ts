import type { Failure } from './failure.ts';

/** One piece of work at a time, so none needs a number. */
export interface Asked {
  readonly name: string;
  readonly input: unknown;
}

export type Said = { readonly progress: unknown } | { readonly output: unknown } | { readonly failure: Failure };
