import type { Task, Transferable } from './task.ts';

export interface OffloadOptions<Progress> {
  /** what of the input is passed on instead of copied, and can't be used here any more */
  readonly transfer?: readonly Transferable[];
  /** gives the work up, wherever it is: its thread is ended in the middle of it */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Has work done in threads. */
export interface Offload {
  /**
   * @throws Problem unavailable OVERLOADED when too much of it waits, tooMany RATE_LIMITED when its owner has one already and may have no
   *   more, tooLarge PAYLOAD_TOO_LARGE when it needs more memory than the
   *   task allows, the signal's reason, and whatever the work throws
   */
  run<Input, Output, Progress>(
    task: Task<Input, Output, Progress>,
    input: Input,
    options?: OffloadOptions<Progress>,
  ): Promise<Output>;
  /** the same for work of one member or client, who share it fairly; the `offload` of a request's context is its caller's */
  of(owner: string): Offload;
}
