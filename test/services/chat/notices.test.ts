import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { openChat, told, type ChatScene } from './scene.ts';

const waits = 10_000;

/** What the notifications of a member say when all that is due has run. */
async function notified(scene: ChatScene, who: ChatScene['ann'], after = waits): Promise<string[]> {
  await scene.later(after);
  return await contents(scene.house, who);
}

describe.each(engines)('notifications of messages on %s', (engine) => {
  it('come 10 s later to who has not read, without the text, and go when it is read or answered', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo } = scene;
    const { conversationId } = await scene.say(ann, bob, 'Something secret');
    expect(await notified(scene, bob, waits - 1)).toEqual([]);
    expect(await notified(scene, bob, 1)).toEqual(['ann sent you a message.']);
    expect(await contents(scene.house, ann)).toEqual([]);
    await scene.ask(bob, 'POST', `/${conversationId}/read`);
    expect(await contents(scene.house, bob)).toEqual([]);
    // Read in time: nobody is notified, now or with what comes later.
    await scene.say(ann, bob, 'Two');
    await scene.ask(bob, 'POST', `/${conversationId}/read`);
    expect(await notified(scene, bob)).toEqual([]);
    await scene.say(ann, bob, 'Three');
    expect(await notified(scene, bob)).toEqual(['ann sent you a message.']);
    // To answer is to read.
    await scene.say(bob, ann, 'Yes');
    expect(await contents(scene.house, bob)).toEqual([]);
    await scene.say(cleo, ann, 'And I');
    expect((await notified(scene, ann)).toSorted()).toEqual(['bob sent you a message.', 'cleo sent you a message.']);
  });

  it('come for messages that follow while others wait, each at its time', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    await scene.later(waits / 2);
    await scene.say(ann, bob, 'Two');
    expect(await notified(scene, bob, waits / 2)).toEqual(['ann sent you a message.']);
    await scene.ask(bob, 'POST', `/${conversationId}/read`, { seq: 1 });
    const noticed = async () =>
      (await house.ctx.db.selectFrom('conversations').select('noticed_seq').executeTakeFirstOrThrow()).noticed_seq;
    expect(await noticed()).toBe(1);
    await scene.later(waits / 2);
    expect(await noticed()).toBe(2);
    // A clock that was set back makes none of them be forgotten.
    house.clock.advance(-60_000);
    await scene.say(ann, bob, 'Three');
    house.clock.advance(60_000);
    await scene.say(ann, bob, 'Four');
    await scene.later(waits);
    expect(await noticed()).toBe(4);
  });

  it('come neither for what is deleted, nor to who does not want them, nor from who is blocked', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'One');
    await scene.ask(ann, 'DELETE', `/${conversationId}/messages/${id}`);
    expect(await notified(scene, bob)).toEqual([]);
    const path = `/${conversationId}/settings`;
    for (const notifications of ['mentions', 'none']) {
      await scene.ask(bob, 'PUT', path, { notifications });
      await scene.say(ann, bob, 'Two');
      expect(await notified(scene, bob)).toEqual([]);
    }
    const mutedUntil = new Date(house.clock.now() + 30_000).toISOString();
    await scene.ask(bob, 'PUT', path, { notifications: 'all', mutedUntil });
    await scene.say(ann, bob, 'Three');
    expect(await notified(scene, bob)).toEqual([]);
    house.clock.advance(30_000);
    await scene.say(ann, bob, 'Four');
    expect(await notified(scene, bob)).toEqual(['ann sent you a message.']);
    // A block hides what there is, and what waits does not come.
    await scene.say(cleo, bob, 'One');
    await scene.block(bob, cleo);
    await scene.block(bob, ann);
    expect(await notified(scene, bob)).toEqual([]);
    await scene.unblock(bob, ann);
    expect(await contents(scene.house, bob)).toEqual(['ann sent you a message.']);
  });

  it('come not from whom somebody has muted, and again where a run of them was given up', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const mute = async (method: 'POST' | 'DELETE') => {
      const path = `/api/social/users/${ann.memberId}/mute`;
      expect((await house.api(method, path, { token: bob.token, body: {} })).status).toBeLessThan(300);
    };
    await mute('POST');
    await scene.say(ann, bob, 'One');
    expect(await notified(scene, bob)).toEqual([]);
    await mute('DELETE');
    await scene.say(ann, bob, 'Two');
    await house.ctx.db.deleteFrom('jobs').where('kind', '=', 'chat-notices').execute();
    expect(await notified(scene, bob)).toEqual([]);
    await scene.say(ann, bob, 'Three');
    expect(await notified(scene, bob)).toEqual([]);
    house.clock.advance(60_000);
    await scene.say(ann, bob, 'Four');
    expect(await notified(scene, bob)).toEqual(['ann sent you a message.']);
  });

  it('are not the only news: activity is told once a second, and at its end for what came meanwhile', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    for (const text of ['Two', 'Three', 'Four']) await scene.say(ann, bob, text);
    const activity = (who: typeof ann) =>
      told(house, `inbox:${who.memberId}`).flatMap(([name, data]) => (name === 'conversation:activity' ? [data] : []));
    expect(activity(bob)).toEqual([{ conversationId, lastSeq: 1 }]);
    await scene.later(1000);
    expect(activity(bob)).toEqual([
      { conversationId, lastSeq: 1 },
      { conversationId, lastSeq: 4 },
    ]);
    expect(activity(ann)).toEqual(activity(bob));
    await scene.later(2000);
    await scene.say(bob, ann, 'Five');
    expect(activity(ann).at(-1)).toEqual({ conversationId, lastSeq: 5 });
  });
});
