import { parentPort } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import type { Asked, Said } from './messages.ts';
import type { Transferable, Workplace } from './task.ts';

/** Makes this thread do what it is asked for, one piece after the other. */
export function workHere(places: readonly Workplace[]): void {
  const port = parentPort;
  if (port === null) throw new Error('this is no thread');
  const say = (said: Said, transfer: readonly Transferable[] = []): void => port.postMessage(said, transfer);
  port.on('message', ({ name, input }: Asked) => {
    const transfer: Transferable[] = [];
    const tell = (progress: unknown): void => say({ progress });
    void perform(places, name, input, { tell, transfer })
      .then((output) => say({ output }, transfer))
      // Also an output that can't be copied.
      .catch((error: unknown) => say({ failure: failureOf(error) }));
  });
}

async function perform(
  places: readonly Workplace[],
  name: string,
  input: unknown,
  thread: { readonly tell: (progress: unknown) => void; readonly transfer: Transferable[] },
): Promise<unknown> {
  const place = places.find((one) => one.name === name);
  if (place === undefined) throw new Error(`no thread does ${name}`);
  const work = await place.load();
  return await work(input, thread);
}
