import type { Transferable } from '../../service/ports/task.ts';
import type { Asked, Said } from './messages.ts';

/** What carries out work: a thread, or a process with a thread in it. It emits what a `Worker` of Node's does. */
export interface Carrier {
  on(event: 'message', listener: (said: Said) => void): unknown;
  on(event: 'messageerror' | 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  once(event: 'exit', listener: () => void): unknown;
  postMessage(asked: Asked, transfer: readonly Transferable[]): void;
  /** Whether this process stays for it. */
  ref(): unknown;
  unref(): unknown;
  /** ends it at once */
  terminate(): Promise<unknown>;
}

/** The code of the error of a thread, or of the thread of a process, that needs more memory than it may use. */
export const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';
/** What such a process ends with, if it still can. */
export const NO_MEMORY = 77;
