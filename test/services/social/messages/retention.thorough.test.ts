import { describe, expect, it } from 'vitest';
import { retentionHandler } from '../../../../src/shared/conversations/retention-job.ts';
import { bothEngines } from '../../../support/stores.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function erase({ house }: MessagesScene): Promise<void> {
  const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
  await retentionHandler(house.ctx)(null, job as never);
}

function keep({ house }: MessagesScene, retentionMs: number | undefined): void {
  (house.ctx.config.chat as { retentionMs: number | undefined }).retentionMs = retentionMs;
}

describe.each(bothEngines)('what the node keeps of conversations of the social network, on %s', (engine) => {
  it('is shown and stored for that time, and as long as they are there without one', async () => {
    await using scene = await openMessages(engine);
    const { house, ann, bob } = scene;
    const id = await scene.friends(ann, bob);
    const old = await scene.say(ann, id, 'Old cake');
    house.clock.advance(HOUR);
    const young = await scene.say(bob, id, 'Young cake');
    const copy = await scene.do(ann, 'POST', `/${old['_id']}/forward`, { targetConversationId: id });
    house.clock.advance(HOUR);
    const looked = async () => {
      const messages = await scene.read(bob, id);
      const { messages: found } = await scene.do(bob, 'GET', '/search?q=cake');
      const [conversation] = await scene.listed(bob);
      return {
        texts: messages.map(({ content }) => content),
        from: messages.at(-1).forwardedFromId,
        found: found.map(({ content }: { readonly content: string }) => content).toSorted(),
        preview: conversation.lastMessagePreview,
      };
    };
    const all = { texts: ['Old cake', 'Young cake', 'Old cake'], preview: 'Old cake' };
    const found = ['Old cake', 'Old cake', 'Young cake'];
    expect(await looked()).toEqual({ ...all, from: old['_id'], found });
    await erase(scene);
    expect(await looked()).toEqual({ ...all, from: old['_id'], found });
    keep(scene, 1.5 * HOUR);
    const gone = {
      texts: [null, 'Young cake', 'Old cake'],
      from: null,
      found: ['Old cake', 'Young cake'],
      preview: 'Old cake',
    };
    expect(await looked()).toEqual(gone);
    expect(said(await scene.at(bob, 'POST', `/${old['_id']}/reactions`, { emoji: '👍' }))).toBe(
      '404 MESSAGE_NOT_FOUND',
    );
    house.clock.advance(60_000);
    await erase(scene);
    // What is erased is not there when it is kept for longer.
    keep(scene, undefined);
    expect(await looked()).toEqual(gone);
    keep(scene, HOUR);
    expect((await looked()).preview).toBe(null);
    expect([young['seq'], copy['seq']]).toEqual([2, 3]);
  });

  it('keeps what was reported for administrators until they have looked at it', async () => {
    await using scene = await openMessages(engine);
    const { house } = scene;
    const id = await scene.friends(scene.ann, scene.bob);
    keep(scene, 2 * DAY);
    const { _id } = await scene.say(scene.bob, id, 'Something bad');
    await scene.do(scene.ann, 'POST', `/${_id}/report`, { reason: 'Rude' });
    house.clock.advance(3 * DAY);
    // The message makes a key of its own, so nothing but the report needs the first one.
    const bob = { ...scene.bob, token: await house.signIn(scene.bob) };
    await scene.say(bob, id, 'Something else');
    await erase(scene);
    expect((await scene.read(bob, id)).map(({ content }) => content)).toEqual([null, 'Something else']);
    const admin = await house.administrator('root');
    const { reports } = await scene.do(admin, 'GET', '/reports');
    expect(reports).toMatchObject([{ content: 'Something bad' }]);
    await scene.do(admin, 'POST', `/reports/${reports[0]['_id']}/review`, { action: 'dismiss' });
    house.clock.advance(3 * DAY);
    await erase(scene);
    const epochs = await house.ctx.db.selectFrom('room_key_epochs').select('epoch').where('room_id', '=', id).execute();
    expect(epochs).toEqual([{ epoch: 2 }]);
  });
});
