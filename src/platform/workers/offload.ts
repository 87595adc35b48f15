import { heavyWork, type HeavyWorkLoad } from '../../service/heavy-work.ts';
import type { Offload, OffloadOptions } from '../../service/ports/workers.ts';
import type { Task } from '../../service/ports/task.ts';
import type { Threads } from './threads.ts';

export interface OffloadOwner extends Offload, AsyncDisposable {}

interface Room {
  readonly queue: HeavyWorkLoad;
  /** loaded with the first piece of work, because most commands never use threads */
  readonly threads: Promise<Threads>;
}

type AnyTask = Task<never, unknown>;

/** The owner name for the node's own work. */
const NODE = '';

/** @param program the program of the threads; default: src/node/worker.ts */
export function createOffload(program?: URL): OffloadOwner {
  /** by the name of the task */
  const rooms = new Map<string, Room>();

  function roomOf(task: AnyTask): Room {
    const known = rooms.get(task.name);
    if (known !== undefined) return known;
    const queue = heavyWork({ ...task, reason: 'The server has too much work at the moment.' });
    const room = { queue, threads: import('./threads.ts').then(({ threadsOf }) => threadsOf(task, program)) };
    rooms.set(task.name, room);
    return room;
  }

  function of(owner: string): Offload {
    return {
      of,
      run: async <Input, Output, Progress>(
        task: Task<Input, Output, Progress>,
        input: Input,
        { transfer = [], signal, onProgress }: OffloadOptions<Progress> = {},
      ) => {
        const { queue, threads } = roomOf(task);
        const job = { input, transfer, signal, onProgress };
        return (await queue.of(owner).run(async () => (await threads).perform(job), signal)) as Output;
      },
    };
  }

  return {
    ...of(NODE),
    async [Symbol.asyncDispose]() {
      for (const { threads } of rooms.values()) await (await threads)[Symbol.asyncDispose]();
    },
  };
}
