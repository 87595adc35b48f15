import type { MessagePort } from 'node:worker_threads';

/** Work that a thread of its own does, so that this one answers others meanwhile. What goes in and out is copied, or passed on whole. */
export interface Task<Input, Output, Progress = never> {
  /** under which src/worker.ts has the work */
  readonly name: string;
  /** MiB of JavaScript values that the work may hold; typed arrays come on top */
  readonly memory: number;
  /** how many run at once, in the whole process */
  readonly atOnce: number;
  /** how many may wait for that; owners share the places fairly */
  readonly queued: number;
  /** where a member or client has one at a time, running or waiting: what whoever wants a second is told, as a sentence */
  readonly onePerOwner?: string;
  /** never there: it ties those who ask to those who do the work */
  readonly types?: (input: Input, progress: Progress) => Output;
}

/** The work itself, in its thread. It may throw a Problem, and whoever asked for it gets that. */
export type Work<Input, Output, Progress = never> = (
  input: Input,
  thread: WorkThread<Progress>,
) => Output | Promise<Output>;

export interface WorkThread<Progress> {
  tell(progress: Progress): void;
  /** what of the output is passed on instead of copied: `thread.transfer.push(bytes.buffer)` */
  readonly transfer: Transferable[];
}

/** Buffers that move to the other thread without a copy. They cannot be used here afterwards. */
export type Transferable = ArrayBuffer | MessagePort;

/** A task with the work that belongs to it, loaded when it is first asked for. */
export interface Workplace {
  readonly name: string;
  readonly load: () => Promise<Work<unknown, unknown, unknown>>;
}

export function workplace<Input, Output, Progress>(
  { name }: Task<Input, Output, Progress>,
  load: () => Promise<Work<Input, Output, Progress>>,
): Workplace {
  return { name, load: load as Workplace['load'] };
}

/** Names what goes in and out of a task: `task<Input, Output>({ … })`. */
export function task<Input, Output, Progress = never>(
  declared: Omit<Task<Input, Output, Progress>, 'types'>,
): Task<Input, Output, Progress> {
  return declared;
}
