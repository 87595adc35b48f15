import type { MessagePort } from 'node:worker_threads';

/** Work in a separate thread, so that this thread can answer other requests. Input and output are copied or transferred. */
export interface Task<Input, Output, Progress = never> {
  /** the name under which src/node/worker.ts registers the work */
  readonly name: string;
  /** MiB of JavaScript values that the work may hold, not counting typed arrays */
  readonly memory: number;
  /** how many may run at the same time in the whole process */
  readonly atOnce: number;
  /** how many may wait to run; owners share the places fairly */
  readonly queued: number;
  /** if set, each owner may have one at a time, running or waiting; a second one is refused with this message, a full sentence */
  readonly onePerOwner?: string;
  /**
   * Whether it is done in a process of its own, for work of which a stranger's content decides how much memory it takes: if a single
   * allocation fails, V8 ends the whole process, whatever the limit of the thread. Input and output are copied.
   */
  readonly apart?: boolean;
  /** never set: it only links the types of the caller to the types of the work */
  readonly types?: (input: Input, progress: Progress) => Output;
}

/** The work itself, in its thread. If it throws a Problem, the caller gets that Problem. */
export type Work<Input, Output, Progress = never> = (
  input: Input,
  thread: WorkThread<Progress>,
) => Output | Promise<Output>;

export interface WorkThread<Progress> {
  tell(progress: Progress): void;
  /**
   * Runs work that an addon of Node does outside JavaScript. The thread isn't ended meanwhile: the result of an addon that finds its
   * thread gone ends the whole process (Napi::Error).
   */
  native<T>(work: () => Promise<T>): Promise<T>;
  /** parts of the output that are transferred instead of copied: `thread.transfer.push(bytes.buffer)` */
  readonly transfer: Transferable[];
}

/** Buffers that move to the other thread without a copy. The sending thread can't use them afterwards. */
export type Transferable = ArrayBuffer | MessagePort;

/** A task with its work, which is loaded when it is first needed. */
export interface Workplace {
  readonly name: string;
  readonly apart: boolean;
  readonly load: () => Promise<Work<unknown, unknown, unknown>>;
}

export function workplace<Input, Output, Progress>(
  { name, apart = false }: Task<Input, Output, Progress>,
  load: () => Promise<Work<Input, Output, Progress>>,
): Workplace {
  return { name, apart, load: load as Workplace['load'] };
}

/** Declares a task with the types of its input and output: `task<Input, Output>({ … })`. */
export function task<Input, Output, Progress = never>(
  declared: Omit<Task<Input, Output, Progress>, 'types'>,
): Task<Input, Output, Progress> {
  return declared;
}
