import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import type { Asked, Said } from './messages.ts';
import type { Transferable, Workplace, WorkThread } from '../../service/ports/task.ts';
import { inNative } from './thread-state.ts';
import { workApart } from './work-process.ts';

/** Makes this thread perform the requested work, one piece after the other. A process of its own has one such thread. */
export function workHere(places: readonly Workplace[]): void {
  if (isMainThread) {
    workApart();
    return;
  }
  const port = parentPort;
  if (port === null) throw new Error('this is no thread');
  const say = (said: Said, transfer: readonly Transferable[] = []): void => port.postMessage(said, transfer);
  const native: WorkThread<unknown>['native'] = (work) => inNative(workerData as Int32Array, work);
  port.on('message', ({ name, input }: Asked) => {
    const transfer: Transferable[] = [];
    const tell = (progress: unknown): void => say({ progress });
    void perform(places, name, input, { tell, transfer, native })
      .then((output) => say({ output }, transfer))
      // This also handles an output that can't be copied.
      .catch((error: unknown) => say({ failure: failureOf(error) }));
  });
}

async function perform(
  places: readonly Workplace[],
  name: string,
  input: unknown,
  thread: WorkThread<unknown>,
): Promise<unknown> {
  const place = places.find((one) => one.name === name);
  if (place === undefined) throw new Error(`no thread does ${name}`);
  const work = await place.load();
  return await work(input, thread);
}
