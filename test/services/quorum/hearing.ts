import { expect } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createHub, type Hub } from '../../../src/platform/realtime/hub.ts';
import { services } from '../../../src/node/services.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { listenerOf, type Heard, type TestListener } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import { openQuorum, type QuorumScene } from './scene.ts';

export interface HeardQuorum extends AsyncDisposable {
  readonly scene: QuorumScene;
  readonly hub: Hub;
  /** of the whole quorum */
  readonly topic: string;
  /** a listener with this account; `refused` names the topics that it may not hear */
  listen(accountId: string, topics: Readonly<Record<string, number | undefined>>): Promise<Listening>;
}

export interface Listening {
  readonly listener: TestListener;
  readonly refused: readonly string[];
  /** names and data of what it heard, once there are so many */
  heard(count: number): Promise<readonly (readonly [name: string, data: Heard])[]>;
}

/** A quorum with sockets' listeners: what the node publishes reaches them as it reaches sockets. */
export async function openHeardQuorum(engine: EngineName, members: number): Promise<HeardQuorum> {
  const late: { hub?: Hub } = {};
  const realtime = {
    id: 'house',
    endSessions: async () => undefined,
    passes: () => true,
    seen: () => undefined,
    hears: (topic: string) => late.hub?.hears(topic) ?? false,
    deliver: (what: Parameters<Hub['deliver']>[0]) => late.hub?.deliver(what),
    spread: (event: Parameters<Hub['spread']>[0]) => late.hub?.spread(event),
  };
  const scene = await openQuorum(engine, members, { context: { realtime } });
  const { ctx } = scene.house;
  const never = () => Promise.reject(new Error('not asked'));
  const hub = createHub({
    store: ctx.store,
    clock: ctx.clock,
    log: silentLog,
    authenticate: never,
    redeem: never,
  });
  late.hub = hub;
  for (const { events = {}, topics } of services)
    hub.register({ events: Object.values(events), topics: topics?.(ctx) });
  return {
    scene,
    hub,
    topic: `quorum:${ctx.keys.nodeId}`,
    async listen(accountId, topics) {
      const listener = listenerOf(accountId);
      const refused: string[] = [];
      for (const [topic, after] of Object.entries(topics))
        if ((await hub.topics.subscribe(listener, topic, after)) === undefined) refused.push(topic);
      return {
        listener,
        refused,
        async heard(count) {
          await eventually(() => expect(listener.heard).toHaveLength(count));
          return listener.heard.map(({ type, data }) => [type as string, data as Heard] as const);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await hub.settled();
      await scene[Symbol.asyncDispose]();
    },
  };
}
