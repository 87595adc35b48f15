import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { scheduled } from '../../../src/contract/chat/scheduled.ts';
import type { JsonOperation, RawInputOf } from '../../../src/contract/operation.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { openMessages } from '../social/messages/scene.ts';
import { done, groupOf } from './chat-scene.ts';
import { openChat } from './scene.ts';

const HOUR = 3_600_000;

describe.each(bothEngines)('a send that comes again, on %s', (engine) => {
  it('gets the message as it is by then, and no text that was deleted or whose time is over', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const send = async <O extends JsonOperation>(operation: O, input: RawInputOf<O>, key: string) => {
      const headers = { 'idempotency-key': key };
      const { status, body } = await house.perform(operation, input, ann.token, { headers });
      return { status, ...body.data };
    };
    const group = await groupOf(house, [ann, bob]);
    const toGroup = { conversationId: group, content: 'Secret of the group' };
    const toBob = { recipientId: bob.memberId, content: 'Secret of two' };
    const first = await send(groups.sendToGroup, toGroup, 'to-the-group');
    expect(await send(groups.sendToGroup, toGroup, 'to-the-group')).toEqual(first);
    const own = { conversationId: group, messageId: first.id };
    await done(house, messages.groupEditMessage, ann, { ...own, content: 'Edited' });
    expect(await send(groups.sendToGroup, toGroup, 'to-the-group')).toMatchObject({ status: 201, content: 'Edited' });
    await done(house, messages.groupDeleteMessage, ann, own);
    const gone = await send(groups.sendToGroup, toGroup, 'to-the-group');
    expect(gone).toMatchObject({ status: 201, id: first.id, deleted: true, content: null, encryptedContent: null });
    expect(JSON.stringify(gone)).not.toMatch(/Secret|Edited/);

    const two = await send(direct.sendDirect, toBob, 'to-bob');
    await done(house, direct.setRetention, ann, { conversationId: two.conversationId, retentionMs: HOUR });
    expect(await send(direct.sendDirect, toBob, 'to-bob')).toEqual(two);
    house.clock.advance(HOUR);
    // Nothing has erased it, and it is not shown all the same.
    expect(await send(direct.sendDirect, toBob, 'to-bob')).toMatchObject({ id: two.id, deleted: true, content: null });
    expect(
      (await done(house, messages.directMessages, bob, { conversationId: two.conversationId })).items,
    ).toHaveLength(1);
  });

  it('later gets no text of a scheduled message that was removed', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const sendAt = new Date(house.clock.now() + HOUR).toISOString();
    const schedule = async () => {
      const input = { conversationId, content: 'Secret for later', sendAt };
      const headers = { 'idempotency-key': 'later' };
      return (await house.perform(scheduled.groupSchedule, input, ann.token, { headers })).body.data;
    };
    const first = await schedule();
    expect(await schedule()).toEqual(first);
    expect(first).toMatchObject({ content: 'Secret for later', status: 'waiting' });
    await done(house, scheduled.removeScheduled, ann, { scheduledId: first.id });
    expect(await schedule()).toEqual({ ...first, content: null });
    expect((await done(house, scheduled.listScheduled, ann, {})).items).toEqual([]);
  });

  it('gets none in the social network, nor a preview of it', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const send = async (who: HouseMember, path: string, body: object) =>
      (await scene.at(who, 'POST', path, body, { 'idempotency-key': `key-${path.slice(-12)}` })).body.data;
    const ask = { otherUserId: 'bob', content: 'Secret question' };
    const asked = await send(ann, '/conversations', ask);
    expect(asked).toMatchObject({ request: { messagePreview: 'Secret question' } });
    const [question] = await scene.read(ann, asked.conversationId);
    await scene.do(ann, 'DELETE', `/${question['_id']}`);
    expect(await send(ann, '/conversations', ask)).toEqual({
      ...asked,
      request: { ...asked.request, messagePreview: null },
    });
    const begin = { type: 'group', name: 'Garden', participantIds: ['bob', 'ann'], content: 'Secret of many' };
    const group = await send(cleo, '/conversations', begin);
    expect(group).toMatchObject({ lastMessagePreview: 'Secret of many' });
    const [said] = await scene.read(cleo, group['_id']);
    const forward = async () => await send(cleo, `/${said['_id']}/forward`, { targetConversationId: group['_id'] });
    const forwarded = await forward();
    expect(forwarded).toMatchObject({ content: 'Secret of many' });
    await scene.do(cleo, 'DELETE', `/${forwarded['_id']}`);
    expect(await forward()).toMatchObject({ _id: forwarded['_id'], content: null });
    await scene.do(cleo, 'DELETE', `/${said['_id']}`);
    const again = await send(cleo, '/conversations', begin);
    expect(again).toMatchObject({ _id: group['_id'], lastMessagePreview: null });
    expect(JSON.stringify(again)).not.toContain('Secret');
    expect(await scene.listed(bob)).toHaveLength(1);
  });
});
