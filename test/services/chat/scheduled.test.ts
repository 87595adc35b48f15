import { describe, expect, it } from 'vitest';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { scheduled } from '../../../src/contract/chat/scheduled.ts';
import { scheduledHandler } from '../../../src/shared/conversations/unsent/due.ts';
import { engines } from '../../support/stores.ts';
import { done, groupOf, refused } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, told } from './scene.ts';
import { ahead, became, listOf, minute, rows, textsIn } from './scheduled-scene.ts';

describe.each(engines)('scheduled messages on %s', (engine) => {
  it('are sent when they are due, once, and are not in the list then', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId, id: replyToMessageId } = await scene.say(bob, ann, 'When?');
    const input = { conversationId, content: 'Now.', replyToMessageId, sendAt: ahead(house, 5 * minute) };
    const one = await done(house, scheduled.directSchedule, ann, input);
    expect(one).toMatchObject({ ...input, clientId: null, status: 'waiting', reason: null });
    const first = await done(house, scheduled.directSchedule, ann, { ...input, sendAt: ahead(house, 2 * minute) });
    expect((await listOf(house, ann)).map(({ id }) => id)).toEqual([first.id, one.id]);
    expect(await listOf(house, bob)).toEqual([]);
    const [row] = await rows(house);
    expect(Buffer.from(row!.sealed!).includes('Now.')).toBe(false);
    expect(await scene.stored(ann)).toBe(2 * row!.bytes);
    await scene.later(2 * minute);
    expect(await listOf(house, ann)).toEqual([one]);
    await scene.later(3 * minute);
    expect(await listOf(house, ann)).toEqual([]);
    // A job that runs twice sends once.
    await scheduledHandler(house.ctx)({ id: one.id }, { attempt: 1 } as never);
    const { items } = await done(house, messages.directMessages, bob, { conversationId });
    expect(items.slice(1)).toMatchObject([
      { content: 'Now.', senderId: ann.memberId, replyToMessageId, clientId: `scheduled.${first.id}` },
      { content: 'Now.', createdAt: input.sendAt, clientId: `scheduled.${one.id}` },
    ]);
    const { bytes } = await house.ctx.db
      .selectFrom('conversation_messages')
      .select((e) => e.cast<number>(e.fn.sum('bytes'), 'integer').as('bytes'))
      .where('sender_id', '=', ann.memberId)
      .executeTakeFirstOrThrow();
    expect(await scene.stored(ann)).toBe(bytes);
    expect(became(house, ann).map(([status]) => status)).toEqual(['waiting', 'waiting', 'sent', 'sent']);
    expect(told(house, `conversation:${conversationId}`).some(([name]) => name.includes('scheduled'))).toBe(false);
  });

  it('are changed and removed by their sender, and by nobody else', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const schedule = async (content: string) =>
      await done(house, scheduled.groupSchedule, ann, { conversationId, content, sendAt: ahead(house, minute) });
    const [{ id: scheduledId }, { id: other }] = [await schedule('One'), await schedule('Two')];
    const later = ahead(house, 9 * minute);
    for (const [operation, input] of [
      [scheduled.changeScheduled, { scheduledId, content: 'x' }],
      [scheduled.removeScheduled, { scheduledId }],
    ] as const)
      expect(await refused(house, operation, bob, input as never)).toBe('404 SCHEDULED_NOT_FOUND');
    const change = { scheduledId, content: 'Another', sendAt: later };
    expect(await done(house, scheduled.changeScheduled, ann, change)).toMatchObject({
      content: 'Another',
      sendAt: later,
    });
    await done(house, scheduled.removeScheduled, ann, { scheduledId: other });
    expect(await refused(house, scheduled.removeScheduled, ann, { scheduledId: other })).toBe(
      '404 SCHEDULED_NOT_FOUND',
    );
    await scene.later(2 * minute);
    expect(await textsIn(house, bob, conversationId)).toEqual([]);
    await scene.later(7 * minute);
    expect(await textsIn(house, bob, conversationId)).toEqual(['Another']);
    expect(await rows(house)).toEqual([]);
    const jobs = await house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'chat-scheduled').execute();
    expect(jobs).toEqual([]);
  });

  it('are refused too soon, too late, too many, with files, and to who is muted', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const input = { conversationId, content: 'x', sendAt: ahead(house, minute) };
    const refuse = async (more: object, who = bob) =>
      await refused(house, scheduled.groupSchedule, who, { ...input, ...more });
    for (const sendAt of [ahead(house, minute - 6000), ahead(house, 366 * 24 * 60 * minute), 'tomorrow'])
      expect(await refuse({ sendAt })).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ attachments: ['0'.repeat(32)] })).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ replyToMessageId: '0'.repeat(32) })).toBe('404 MESSAGE_NOT_FOUND');
    expect(await refuse({}, cleo)).toBe('403 FORBIDDEN');
    expect(await rows(house)).toEqual([]);
    const { id: scheduledId } = await done(house, scheduled.groupSchedule, bob, { ...input, clientId: 'mine' });
    expect((await done(house, scheduled.groupSchedule, bob, { ...input, clientId: 'mine' })).id).toBe(scheduledId);
    const [row] = await rows(house);
    const copies = Array.from({ length: 99 }, (_, at) => ({
      ...row!,
      id: at.toString(16).padStart(32, '0'),
      client_id: null,
    }));
    await house.ctx.db.insertInto('conversation_scheduled').values(copies).execute();
    expect(await refuse({})).toBe('409 SCHEDULED_FULL');
    await done(house, moderation.groupMute, ann, { conversationId, memberId: bob.memberId, durationMs: minute });
    expect(await refuse({})).toBe('403 FORBIDDEN');
    const change = { scheduledId, content: 'x' };
    expect(await refused(house, scheduled.changeScheduled, bob, change)).toBe('403 FORBIDDEN');
  });

  it('are none where only members can read', async () => {
    await using scene = await openClients(engine);
    const { ann, bob, house } = scene;
    const { id: conversationId } = await scene.group([ann, bob]);
    const input = { conversationId, content: 'x', sendAt: ahead(house, minute) };
    expect(await refused(house, scheduled.groupSchedule, ann, input)).toBe('400 CLIENT_ENCRYPTED');
  });
});
