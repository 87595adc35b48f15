import type { TopicKind } from '../../../src/service/ports/realtime.ts';
import type { Context } from '../../../src/service/context.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createHub, type Hub } from '../../../src/platform/realtime/hub.ts';
import type { Listener } from '../../../src/service/ports/listener.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { samplePart } from './sample-topic.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
export type Heard = Record<string, any>;

export interface TestListener extends Listener {
  readonly heard: Heard[];
  open: boolean;
  /** bytes that it has not read */
  waiting: number;
  closedWith: number | undefined;
  /** numbers of the events that it heard, in order */
  readonly numbers: number[];
}

export function listenerOf(memberId: string): TestListener {
  const heard: Heard[] = [];
  return {
    memberId,
    username: memberId,
    type: 'User',
    sessionId: `session of ${memberId}`,
    open: true,
    waiting: 0,
    closedWith: undefined,
    heard,
    get numbers() {
      return heard.filter(({ type }) => type === 'room:said').map(({ data }) => data.number as number);
    },
    send: (text) => void heard.push(JSON.parse(text) as Heard),
    unsent() {
      return this.waiting;
    },
    spend: () => true,
    close(code) {
      this.open = false;
      this.closedWith = code;
    },
  };
}

export interface Hearing {
  readonly hub: Hub;
  readonly ctx: Context;
}

/** A hub with the sample's rooms over a store, and a context that publishes through it. */
export function hearingOn(
  store: Database,
  options: { allows?: TopicKind['allows']; now?: () => number } = {},
): Hearing {
  const clock = { now: options.now ?? Date.now };
  const never = () => Promise.reject(new Error('not asked'));
  const hub = createHub({ store, clock, log: silentLog, authenticate: never, redeem: never });
  hub.register(samplePart(options.allows));
  const ctx = {
    store,
    db: store.db,
    clock,
    log: silentLog,
    realtime: hub,
    afterCommit: (action: () => void) => action(),
  } as unknown as Context;
  return { hub, ctx };
}
