import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { done, groupOf } from './chat-scene.ts';
import { openChat, storedEvents, type ChatScene } from './scene.ts';

const ANSWERS = 6;

/** A group with a thread of which bob has read nothing; numbers of its answers. */
async function openThread(engine: EngineName) {
  const scene = await openChat(engine);
  const { house, ann, bob } = scene;
  const conversationId = await groupOf(house, [ann, bob]);
  const say = async (more: object) => {
    house.clock.advance(1_000);
    return await done(house, groups.sendToGroup, ann, { conversationId, content: 'Tea', ...more });
  };
  const root = await say({});
  const seqs: number[] = [];
  for (let at = 0; at < ANSWERS; at += 1) seqs.push((await say({ replyToMessageId: root.id })).seq);
  return { ...scene, conversationId, messageId: root.id, seqs };
}

type Opened = Awaited<ReturnType<typeof openThread>>;

/** Up to which number bob read, as he is answered and as the events on his devices say. */
const kinds: Readonly<
  Record<
    string,
    {
      read(scene: Opened, seq: number): Promise<unknown>;
      unread(scene: Opened): Promise<number>;
      readonly event: string;
    }
  >
> = {
  'a conversation': {
    read: async ({ house, bob, conversationId }, seq) =>
      await done(house, places.groupRead, bob, { conversationId, seq }),
    unread: async ({ house, bob, conversationId }) =>
      (await done(house, groups.showGroup, bob, { conversationId })).unread ?? 0,
    event: 'conversation:read_elsewhere',
  },
  'a thread': {
    read: async ({ house, bob, conversationId, messageId }, seq) =>
      await done(house, threads.groupReadThread, bob, { conversationId, messageId, seq }),
    unread: async ({ house, bob, conversationId, messageId }) =>
      (await done(house, threads.groupThread, bob, { conversationId, messageId })).thread.unread,
    event: 'conversation:thread_read',
  },
};

/** What the devices of bob were told, in its order. */
async function toldOf({ house, bob }: ChatScene, event: string): Promise<number[]> {
  const stored = await storedEvents(house, `inbox:${bob.memberId}`);
  return stored.flatMap(([name, { seq }]) => (name === event ? [seq as number] : []));
}

describe.each(Object.entries(kinds))('two devices that read %s at once', (_, { read, unread, event }) => {
  it.each(bothEngines)('never take back what one of them read, on %s', async (engine) => {
    for (let round = 0; round < rounds(2, 6); round += 1) {
      await using scene = await openThread(engine);
      const [last = 0] = scene.seqs.slice(-1);
      const all = round % 2 === 0 ? scene.seqs : scene.seqs.toReversed();
      await Promise.all(all.map(async (seq) => await read(scene, seq)));
      expect(await unread(scene)).toBe(0);
      expect(Math.max(...(await toldOf(scene, event)))).toBe(last);
      expect((await toldOf(scene, event)).at(-1)).toBe(last);
    }
  });

  it.runIf(bothEngines.includes('postgres'))('nor if the one that read less is last', async () => {
    await using scene = await openThread('postgres');
    const [least = 0, last = 0] = [scene.seqs[1], scene.seqs.at(-1)];
    // It waits for what the first one has not committed, which it did not see.
    const first = scene.house.within(async () => await read(scene, least));
    await read(scene, last);
    expect(first()).toBe(false);
    await scene.house.ctx.store.transaction(async () => undefined);
    expect(await unread(scene)).toBe(0);
    const told = await toldOf(scene, event);
    expect(told.filter((seq) => seq !== last)).toEqual([]);
  });
});
