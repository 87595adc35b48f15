import type { Clock } from '../../service/context.ts';
import type { Log } from '../../base/log.ts';
import type { AdmissionPolicy } from '../../service/ports/network.ts';

/** How long a timer runs at most. The clock may be set, and another process may change the list. */
const MOST_MS = 60_000;

/** Runs an action later. @returns cancels it */
export type Later = (ms: number, action: () => Promise<void>) => () => void;

const byTimer: Later = (ms, action) => {
  const timer = setTimeout(() => void action(), ms).unref();
  return () => clearTimeout(timer);
};

export interface AdmissionEnds {
  /** looks again when the next admission ends */
  arm(): Promise<void>;
  stop(): void;
}

interface Watching {
  readonly policy: AdmissionPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** called when an admission has ended */
  readonly ended: () => Promise<void>;
  readonly later?: Later;
}

/** Notices when an admission ends by the clock, so that its node is dropped then and not in the next round. */
export function watchAdmissionEnds({ policy, clock, log, ended, later = byTimer }: Watching): AdmissionEnds {
  let cancel = (): void => undefined;
  // Whoever arms last wins, because the list may have changed meanwhile.
  let generation = 0;
  let stopped = false;

  async function nextEnd(): Promise<number | undefined> {
    try {
      return await policy.nextEnd?.();
    } catch (error) {
      log.error('looking for the next admission that ends failed; trying again', { error });
      return undefined;
    }
  }

  async function arm(): Promise<void> {
    generation += 1;
    const mine = generation;
    const end = await nextEnd();
    if (stopped || mine !== generation) return;
    cancel();
    const left = end === undefined ? MOST_MS : end - clock.now();
    cancel = later(Math.min(MOST_MS, Math.max(0, left)), async () => await look(end));
  }

  async function look(end: number | undefined): Promise<void> {
    try {
      if (end !== undefined && clock.now() >= end) await ended();
    } catch (error) {
      log.error('dropping a node whose admission has ended failed', { error });
    }
    await arm();
  }

  return {
    arm,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
