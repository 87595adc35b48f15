import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sendSealed } from '../../../src/cli/chat/sealed/sealed-sending.ts';
import type { OwnSide } from '../../../src/cli/chat/sealed/own-side.ts';
import type { Client } from '../../../src/client/client.ts';
import { sendWithin } from '../../../src/client/local-transport.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { retentionHandler } from '../../../src/shared/conversations/retention-job.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done } from '../../services/chat/chat-scene.ts';
import { openClients } from '../../services/chat/client-scene.ts';
import { sideWithKey } from './side-with-key.ts';

const DAY = 86_400_000;

it('clients make a key for each day in which something is said, where messages are kept for less than 30 days', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-daily-'));
  try {
    await using scene = await openClients('sqljs');
    const { house, ann, bob } = scene;
    const { id: conversationId } = await scene.group([ann, bob]);
    await done(house, groups.updateGroup, ann, { conversationId, retentionMs: 2.5 * DAY });
    const warned: string[] = [];
    const sideOf = (who: HouseMember, machine: string): OwnSide => {
      const client = {
        transport: { send: sendWithin(house.fetch), [Symbol.asyncDispose]: async () => undefined },
        place: 'the node',
        userAgent: 'test',
        tokenFor: async () => await house.signIn(who),
        folder: join(folder, machine),
        connection: { server: 'https://home.test' },
        tellsOfPassword: async () => false,
      } as unknown as Client;
      return sideWithKey(client, who.mnemonic, (text) => void warned.push(text));
    };
    const placeOf = async (who: HouseMember) =>
      await done(house, groups.showGroup, { ...who, token: await house.signIn(who) }, { conversationId });
    const say = async (side: OwnSide, who: HouseMember, content: string) =>
      await sendSealed(side, await placeOf(who), { content, clientId: undefined });
    const [annSide, bobSide] = [sideOf(ann, 'ann'), sideOf(bob, 'bob')];
    const epochs: number[] = [];
    for (let day = 1; day <= 4; day += 1) {
      // Both begin the day with the key of the day before, and one of them makes the next.
      const both = await Promise.all([say(annSide, ann, `Ann ${day}`), say(bobSide, bob, `Bob ${day}`)]);
      expect(both.map(({ content }) => content)).toEqual([`Ann ${day}`, `Bob ${day}`]);
      epochs.push(...both.map(({ epoch }) => epoch));
      house.clock.advance(DAY);
    }
    expect(epochs).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
    house.clock.advance(60_000);
    await retentionHandler(house.ctx)(null, job as never);
    // A machine that was used before, and one that was not, have no key of what is gone, and do not miss it.
    for (const side of [sideOf(bob, 'bob'), sideOf(bob, 'another')]) {
      const token = await house.signIn(bob);
      const { items } = await done(house, messages.groupMessages, { ...bob, token }, { conversationId });
      const read = await side.read(await placeOf(bob), items);
      expect(read.slice(0, 4).map(({ deleted, problem }) => [deleted, problem])).toEqual(
        Array.from({ length: 4 }, () => [true, undefined]),
      );
      expect(
        read
          .slice(4)
          .map(({ content }) => content)
          .toSorted(),
      ).toEqual(['Ann 3', 'Ann 4', 'Bob 3', 'Bob 4']);
      const open = await side.open(await placeOf(bob));
      expect([open.oldest, [...open.keys.keys()].toSorted()]).toEqual([3, [3, 4]]);
    }
    expect(warned).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
