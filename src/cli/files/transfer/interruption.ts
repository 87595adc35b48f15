import { constants } from 'node:os';
import { Cancelled } from '../../kit/prompts.ts';

/**
 * Does work that Ctrl-C ends in an orderly way: what has begun is written down for the next run. A second Ctrl-C ends the process at once,
 * which loses nothing either.
 *
 * @throws Cancelled if it was ended
 */
export async function interruptibly<T>(
  work: (signal: AbortSignal) => Promise<T>,
  say: (text: string) => void,
): Promise<T> {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    controller.abort(new Cancelled());
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    say('Stopped. Run the same command again: it goes on where it stopped.');
    throw new Cancelled();
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
