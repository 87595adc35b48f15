import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { openEventSocket, type EventSocket, type HeardEvent } from '../../client/event-socket.ts';
import { Problem } from '../../base/problem.ts';

/** How long a watch waits before it looks again, in milliseconds. */
export interface Patience {
  /** where nothing is heard. People decide, so looking more often is of no use */
  readonly deafMs: number;
  /** the same, for each request that a look takes, to stay far below the limit on reads */
  readonly perReadMs: number;
  /** where events are heard, in case one got lost */
  readonly hearingMs: number;
}

const usual: Patience = { deafMs: 2_000, perReadMs: 200, hearingMs: 60_000 };
/** After an event others come at once: those of a vote that decides. */
const BURST_MS = 50;
const LONGEST_RETRY_MS = 30_000;

/** Hears what happens on the server, and waits for it. Its disposal ends a wait, and it connects no more. */
export interface Ear extends Disposable {
  /** what was heard since the last call */
  take(): HeardEvent[];
  /** whether all events since the last call were heard */
  heardAll(): boolean;
  /** waits until something is heard, or for a while. @param reads how many requests the last look took */
  wait(reads: number): Promise<void>;
  /** connects if it is time to. Without a connection looks alone tell what happens */
  listen(): Promise<void>;
}

/** @param topicsOf the names of the topics, by the id of the caller's account; asked before each connection */
export function openEar(
  client: Client,
  topicsOf: () => Promise<(accountId: string) => readonly string[]>,
  { deafMs, perReadMs, hearingMs }: Patience = usual,
): Ear {
  let heard: HeardEvent[] = [];
  let socket: EventSocket | undefined;
  let hadGap = true;
  let failures = 0;
  let nextTryAt = 0;
  let wake = (): void => {};
  const lost = (): void => {
    socket = undefined;
    hadGap = true;
    failures += 1;
    // Servers that restart are not asked by everybody at the same moment.
    nextTryAt = Date.now() + Math.min(LONGEST_RETRY_MS, 2 ** failures * 500) * (0.5 + Math.random() / 2);
    wake();
  };
  const onEvent = (event: HeardEvent): void => {
    heard.push(event);
    wake();
  };
  return {
    take() {
      const taken = heard;
      heard = [];
      return taken;
    },
    heardAll() {
      const all = !hadGap && socket?.hearsAll === true;
      if (socket !== undefined) hadGap = false;
      return all;
    },
    async wait(reads) {
      const hearsAll = socket?.hearsAll === true;
      const waking = new AbortController();
      wake = () => waking.abort();
      if (heard.length > 0) wake();
      const ms = hearsAll ? hearingMs : Math.max(deafMs, reads * perReadMs);
      await sleep(ms, undefined, { signal: waking.signal }).catch(() => undefined);
      wake = () => {};
      if (heard.length > 0) await sleep(BURST_MS);
      else hadGap = true;
    },
    async listen() {
      if (socket !== undefined || Date.now() < nextTryAt) return;
      try {
        socket = await openEventSocket(client, { topics: await topicsOf(), onEvent, onEnd: lost });
        failures = 0;
        if (socket === undefined) nextTryAt = Number.POSITIVE_INFINITY;
      } catch (error) {
        // The look that follows says what is wrong with the server.
        if (!(error instanceof Problem)) throw error;
        lost();
      }
    },
    [Symbol.dispose]() {
      nextTryAt = Number.POSITIVE_INFINITY;
      socket?.[Symbol.dispose]();
      wake();
    },
  };
}
