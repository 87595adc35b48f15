import { describe, expect, it } from 'vitest';
import { drafts } from '../../../src/contract/chat/drafts.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { scheduled } from '../../../src/contract/chat/scheduled.ts';
import { scheduledHandler } from '../../../src/shared/conversations/unsent/due.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { done, groupOf } from './chat-scene.ts';
import { openChat } from './scene.ts';

const minute = 60_000;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe.each(bothEngines)('what is not sent yet, when much happens at once, on %s', (engine) => {
  it('leaves nothing of somebody who is removed while they write', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const { db } = house.ctx;
    for (const round of range(rounds(4, 60))) {
      const sendAt = new Date(house.clock.now() + minute).toISOString();
      const input = { conversationId, content: 'x'.repeat(round + 1) };
      await Promise.all([
        house.perform(drafts.groupSaveDraft, input, bob.token),
        house.perform(scheduled.groupSchedule, { ...input, sendAt }, bob.token),
        done(house, moderation.groupKick, ann, { conversationId, memberId: bob.memberId }),
        house.perform(drafts.groupSaveDraft, { ...input, content: 'Another' }, bob.token),
      ]);
      expect(await db.selectFrom('conversation_drafts').selectAll().execute()).toEqual([]);
      const left = await db.selectFrom('conversation_scheduled').selectAll().execute();
      expect(left.filter(({ sealed, failed }) => sealed !== null || failed === null)).toEqual([]);
      expect(await scene.stored(bob)).toBe(0);
      await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
      house.clock.advance(minute);
    }
  });

  it('is sent once, whoever runs the job, and while its sender changes it', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const texts: string[] = [];
    for (const round of range(rounds(3, 40))) {
      const sendAt = new Date(house.clock.now() + minute).toISOString();
      const input = { conversationId, content: `Number ${round}`, sendAt };
      const { id: scheduledId } = await done(house, scheduled.groupSchedule, ann, input);
      house.clock.advance(minute);
      const run = async () => await scheduledHandler(house.ctx)({ id: scheduledId }, { attempt: 1 } as never);
      const change = { scheduledId, content: `Changed ${round}` };
      const [{ status }] = await Promise.all([
        house.perform(scheduled.changeScheduled, change, ann.token),
        run(),
        run(),
        house.perform(drafts.groupSaveDraft, { conversationId, content: 'Beside' }, ann.token),
      ]);
      // Either it was changed before, or it was sent and there is nothing to change.
      expect([200, 404]).toContain(status);
      texts.push(status === 200 ? change.content : input.content);
    }
    const { items } = await done(house, messages.groupMessages, bob, { conversationId });
    expect(items.map(({ content }) => content)).toEqual(texts);
    expect(await house.ctx.db.selectFrom('conversation_scheduled').selectAll().execute()).toEqual([]);
    const rows = await house.ctx.db.selectFrom('conversation_messages').select('bytes').execute();
    const [draft] = await house.ctx.db.selectFrom('conversation_drafts').select('bytes').execute();
    expect(await scene.stored(ann)).toBe(rows.reduce((sum, { bytes }) => sum + bytes, draft?.bytes ?? 0));
  });
});
