import { silentLog } from '../../../src/base/log.ts';
import { createHub, type Hub } from '../../../src/platform/realtime/hub.ts';
import { services } from '../../../src/node/services.ts';
import { listenerOf, type TestListener } from '../../platform/realtime/hearing.ts';
import type { House, HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

type Scene = AsyncDisposable & { readonly house: House };

/** A scene with sockets' listeners: what the node publishes reaches them as it reaches sockets. */
export async function openHeard<S extends Scene>(open: (options: HouseOptions) => Promise<S>) {
  const late: { hub?: Hub } = {};
  const realtime = {
    id: 'house',
    endSessions: async () => undefined,
    passes: () => true,
    seen: (memberId: string) => late.hub?.seen(memberId),
    hears: (topic: string) => late.hub?.hears(topic) ?? false,
    deliver: (what: Parameters<Hub['deliver']>[0]) => late.hub?.deliver(what),
    spread: (event: Parameters<Hub['spread']>[0]) => late.hub?.spread(event),
  };
  const scene = await open({ context: { realtime } });
  const { ctx } = scene.house;
  const never = () => Promise.reject(new Error('not asked'));
  const sockets = createHub({ store: ctx.store, clock: ctx.clock, log: silentLog, authenticate: never, redeem: never });
  late.hub = sockets;
  for (const { events = {}, topics } of services)
    sockets.register({ events: Object.values(events), topics: topics?.(ctx) });
  return {
    scene,
    sockets,
    /** @returns undefined if refused */
    async listen({ memberId }: HouseMember, topic: string, after?: number): Promise<TestListener | undefined> {
      const listener = listenerOf(memberId);
      return (await sockets.topics.subscribe(listener, topic, after)) === undefined ? undefined : listener;
    },
    async [Symbol.asyncDispose]() {
      await sockets.settled();
      await scene[Symbol.asyncDispose]();
    },
  };
}
