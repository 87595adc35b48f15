import { heavyWork, type HeavyWorkLoad } from '../../src/service/heavy-work.ts';
import type { Task } from '../../src/service/ports/task.ts';
import type { Offload } from '../../src/service/ports/workers.ts';
import { deferred } from './deferred.ts';
import { lentOffload } from './lent-offload.ts';

export interface HeldOffload extends Offload {
  /** Takes every place that the task has, running and waiting, each for a member of its own. @returns what gives them back */
  hold<Input, Output, Progress>(task: Task<Input, Output, Progress>): () => Promise<void>;
}

/** Threads behind the queues that they have in the product, whose places a test holds for as long as it likes. */
export function heldOffload(): HeldOffload {
  /** by the name of the task */
  const queues = new Map<string, HeavyWorkLoad>();

  function queueOf(task: { readonly name: string; readonly atOnce: number; readonly queued: number }): HeavyWorkLoad {
    const known = queues.get(task.name) ?? heavyWork(task);
    queues.set(task.name, known);
    return known;
  }

  const of = (owner: string): Offload => ({
    of,
    run: async (task, input, options) =>
      await queueOf(task)
        .of(owner)
        .run(() => lentOffload().of(owner).run(task, input, options), options?.signal),
  });

  return {
    ...of(''),
    hold(task) {
      const gate = deferred();
      const places = Array.from({ length: task.atOnce + task.queued }, (_, at) =>
        queueOf(task)
          .of(`member ${at}`)
          .run(() => gate.promise),
      );
      return async () => {
        gate.resolve();
        await Promise.all(places);
      };
    },
  };
}
