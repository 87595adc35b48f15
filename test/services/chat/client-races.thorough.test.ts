import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { epochs } from '../../../src/contract/chat/epochs.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { done, refused } from './chat-scene.ts';
import { openClients, type Client, type Conversation, type MadeKey } from './client-scene.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe.each(bothEngines)('conversations that only members can read, changed by many at once, on %s', (engine) => {
  it('have no message after a kick under a key of the kicked member', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    const answers = new Set<string>();
    for (const round of range(rounds(6, 100))) {
      house.clock.advance(60_000);
      const known: MadeKey = garden.key;
      const next = scene.makeKey(ann, conversationId, [ann, bob], known.sent);
      // Every second one without the next key, which a member makes afterwards.
      const isSilent = round % 2 === 1;
      let isKicked = false;
      const late: number[] = [];
      const kick = async () => {
        const input = { conversationId, memberId: cleo.memberId, ...(!isSilent && { epoch: next.sent }) };
        await done(house, moderation.groupKick, ann, input);
        isKicked = true;
      };
      const send = async (who: Client, at: Conversation) => {
        const sealed = scene.seal(who, at, 'beside');
        const { status, body } = await house.perform(groups.sendToGroup, { conversationId, ...sealed }, who.token);
        answers.add(`${status} ${body.error?.reason ?? ''}`);
        if (isKicked && status === 201) late.push(at.key.sent.epoch);
      };
      const old = { id: conversationId, key: known };
      await Promise.all([
        ...range(round % 3).map(async () => await send(bob, old)),
        kick(),
        ...range(4).map(async () => await send(bob, old)),
      ]);
      await send(bob, old);
      if (isSilent) await done(house, epochs.groupBeginEpoch, ann, { conversationId, ...next.sent });
      await send(bob, { id: conversationId, key: next });
      expect(late).toEqual([next.sent.epoch]);
      garden.key = scene.makeKey(ann, conversationId, [ann, bob, cleo], next.sent);
      const add = { conversationId, memberIds: [cleo.memberId], epoch: garden.key.sent };
      await done(house, members.groupAddMembers, ann, add);
    }
    expect([...answers].toSorted()).toEqual(['201 ', '409 EPOCH_CHANGED', '409 EPOCH_CLOSED']);
  });

  it('have one key of several that are made at once', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    const before = garden.key.sent;
    const made = [ann, bob, cleo].map((who) => ({
      who,
      key: scene.makeKey(who, conversationId, [ann, bob, cleo], before),
    }));
    const answers = await Promise.all(
      made.map(async ({ who, key }) => {
        return (await house.perform(epochs.groupBeginEpoch, { conversationId, ...key.sent }, who.token)).status;
      }),
    );
    expect(answers.toSorted()).toEqual([200, 409, 409]);
    const { epochs: list } = await done(house, epochs.groupEpochs, ann, { conversationId });
    expect(list.map(({ keyId }) => keyId)).toEqual([before.keyId, made[answers.indexOf(200)]!.key.sent.keyId]);
  });

  it('are shown with the newest key as the last of all, while others make the next ones', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    const over = new AbortController();
    const make = async () => {
      try {
        for (let key = garden.key; key.sent.epoch < rounds(8, 15);) {
          key = scene.makeKey(ann, conversationId, [ann, bob], key.sent);
          await done(house, epochs.groupBeginEpoch, ann, { conversationId, ...key.sent });
        }
      } finally {
        over.abort();
      }
    };
    const wrong: unknown[] = [];
    const look = async () => {
      while (!over.signal.aborted) {
        // Writers wait for timers, which promises alone would not let run.
        await setImmediate();
        const { epoch, epochs: list } = await done(house, epochs.groupEpochs, bob, { conversationId });
        const own = await done(house, places.groupKeys, bob, { conversationId });
        if (list.at(-1)?.epoch !== epoch || own.keys.at(-1)?.epoch !== own.epoch) wrong.push({ epoch, list, own });
      }
    };
    await Promise.all([make(), look(), look()]);
    expect(wrong).toEqual([]);
  });

  it('remove with one of two kicks at once, whose keys are for each other', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const dan = await scene.client(await house.register());
    const garden = await scene.group([ann, bob, cleo, dan]);
    const conversationId = garden.id;
    const without = (gone: Client) =>
      scene.makeKey(
        ann,
        conversationId,
        [ann, bob, cleo, dan].filter((one) => one !== gone),
        garden.key.sent,
      );
    const answers = await Promise.all(
      [cleo, dan].map(
        async (gone) =>
          await refused(house, moderation.groupKick, ann, {
            conversationId,
            memberId: gone.memberId,
            epoch: without(gone).sent,
          }),
      ),
    );
    expect(answers.toSorted()).toEqual(['200 undefined', '409 EPOCH_CHANGED']);
    expect(await done(house, groups.showGroup, bob, { conversationId })).toMatchObject({ memberCount: 3 });
  });
});
