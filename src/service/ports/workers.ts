import type { Task, Transferable } from './task.ts';

export interface OffloadOptions<Progress> {
  /** parts of the input that are transferred instead of copied; the caller can't use them afterwards */
  readonly transfer?: readonly Transferable[];
  /** ends the work: a running thread is terminated as soon as no addon works in it */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Runs work in threads. */
export interface Offload {
  /**
   * @throws Problem unavailable OVERLOADED when too much work is waiting; tooMany RATE_LIMITED when the owner already has one and may have
   *   only one; tooLarge PAYLOAD_TOO_LARGE when the work needs more memory than the task allows; the signal's reason when it is aborted;
   *   and every error that the work throws
   */
  run<Input, Output, Progress>(
    task: Task<Input, Output, Progress>,
    input: Input,
    options?: OffloadOptions<Progress>,
  ): Promise<Output>;
  /** the same, shared fairly between members and clients; in the context of a request, `offload` is already its caller's */
  of(owner: string): Offload;
}
