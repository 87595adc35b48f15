import { expect, describe, it } from 'vitest';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

/** Too large for the database, so it is a block. */
const photo = Buffer.from('not a picture'.padEnd(100_000, '.'));

async function upload({ house }: MessagesScene, { token }: HouseMember): Promise<string> {
  const answer = await house.api('POST', '/api/chat/attachments?filename=plan.png', {
    token,
    rawBody: Uint8Array.from(photo),
    headers: { 'content-type': 'image/png', 'content-length': String(photo.length) },
  });
  return answer.body.data.id as string;
}

async function statusOf({ house }: MessagesScene, { token }: HouseMember, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await house.fetch(new Request(`http://house.test/api/chat/attachments/${id}`, { headers }))).status;
}

async function stored({ house }: MessagesScene, { memberId }: HouseMember): Promise<number> {
  const rows = await house.ctx.db
    .selectFrom('member_storage')
    .select('bytes')
    .where('member_id', '=', memberId)
    .execute();
  return rows[0]?.bytes ?? 0;
}

async function blocks({ house }: MessagesScene): Promise<number> {
  let found = 0;
  for await (const _ of house.ctx.blocks.list('')) found += 1;
  return found;
}

describe.each(engines)('files in messages of the social network on %s', (engine) => {
  it('are for who may read the message, and stay as long as somebody has it', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const [first, second] = [await scene.friends(ann, bob), await scene.friends(bob, cleo)];
    const id = await upload(scene, ann);
    const sent = await scene.say(ann, first, 'The plan', { attachments: [id] });
    const file = { _id: id, filename: 'plan.png', mimeType: 'image/png', size: photo.length };
    expect(sent.attachments).toEqual([{ ...file, url: `/api/chat/attachments/${id}` }]);
    expect([await statusOf(scene, bob, id), await statusOf(scene, cleo, id)]).toEqual([200, 404]);
    const [ofAnn, ofBob] = [await stored(scene, ann), await stored(scene, bob)];

    const carried = await scene.do(bob, 'POST', `/${sent['_id']}/forward`, { targetConversationId: second });
    expect(carried.attachments).toEqual(sent.attachments);
    expect(await statusOf(scene, cleo, id)).toBe(200);
    // It is one file, and counts to both.
    expect(await blocks(scene)).toBe(1);
    expect((await stored(scene, bob)) - ofBob).toBeGreaterThan(photo.length);

    await scene.do(ann, 'DELETE', `/${sent['_id']}`);
    expect(ofAnn - (await stored(scene, ann))).toBeGreaterThan(photo.length);
    expect([await statusOf(scene, ann, id), await statusOf(scene, cleo, id)]).toEqual([404, 200]);
    await scene.do(bob, 'DELETE', `/${carried['_id']}`);
    await runDueJobs(scene, 'filevault');
    expect(await statusOf(scene, cleo, id)).toBe(404);
    expect(await stored(scene, bob)).toBe(ofBob);
  });

  it('come with a request, and not without a text', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob } = scene;
    const attachments = [await upload(scene, ann)];
    const begun = { otherUserId: 'bob', attachments };
    expect(said(await scene.at(ann, 'POST', '/conversations', begun))).toBe('400 VALIDATION_ERROR');
    const { conversationId } = await scene.do(ann, 'POST', '/conversations', { ...begun, content: 'Look' });
    const { messages } = await scene.do(bob, 'GET', `/conversations/${conversationId}/messages`);
    expect(messages).toMatchObject([{ content: 'Look', attachments: [{ filename: 'plan.png' }] }]);
    expect(await statusOf(scene, bob, attachments[0]!)).toBe(200);
    const again = await scene.at(bob, 'POST', `/conversations/${conversationId}/messages`, {
      content: 'x',
      attachments,
    });
    expect(said(again)).toBe('400 INVALID_ATTACHMENT');
  });
});
