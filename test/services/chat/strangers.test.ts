import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { assertMayBegin } from '../../../src/shared/conversations/begin.ts';
import { plansOf } from '../../support/plans.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { openMessages } from '../social/messages/scene.ts';
import { said } from '../social/scene.ts';
import { done, groupOf, sendDirect } from './chat-scene.ts';

const HOUR = 3_600_000;
const full = '429 RATE_LIMITED';

/** Five members, of whom each may begin so many conversations with strangers in an hour. */
async function openStrangers(engine: EngineName, begunPerHour: number) {
  const scene = await openMessages(engine, {
    config: { chat: { begunPerHour, idleAfterMs: 600_000, retentionMs: undefined } },
  });
  const { house } = scene;
  const [dan, eve] = [await house.register({ username: 'dan' }), await house.register({ username: 'eve' })];
  return {
    ...scene,
    dan,
    eve,
    /** sends in chat, which begins a conversation of two if there is none */
    send: async ({ token }: HouseMember, { memberId: recipientId }: HouseMember) =>
      said(await house.perform(direct.sendDirect, { recipientId, content: 'Hello' }, token)),
    create: async ({ token }: HouseMember, ...others: HouseMember[]) => {
      const memberIds = others.map(({ memberId }) => memberId);
      return said(await house.perform(groups.createGroup, { name: 'Garden', memberIds }, token));
    },
    /** begins a conversation of two in the social network */
    ask: async (who: HouseMember, other: HouseMember) =>
      said(await scene.at(who, 'POST', '/conversations', { otherUserId: other.memberId })),
    requestFollow: async (who: HouseMember, other: HouseMember) =>
      void (await scene.ask(who, 'POST', `/users/${other.memberId}/follow`, {})),
    approve: async (who: HouseMember, other: HouseMember) =>
      void (await scene.ask(who, 'POST', `/follow-requests/${other.memberId}/approve`)),
  };
}

describe.each(bothEngines)('what a member may begin in an hour on %s', (engine) => {
  it('counts no conversation with members who follow each other', async () => {
    await using scene = await openStrangers(engine, 1);
    const { ann, bob, cleo, dan } = scene;
    await scene.follow(ann, bob);
    await scene.follow(bob, ann);
    expect(await scene.send(ann, bob)).toBe('201 success');
    expect(await scene.ask(ann, bob)).toBe('201 success');
    expect(await scene.create(ann, bob)).toBe('201 success');
    expect(await scene.send(ann, cleo)).toBe('201 success');
    expect(await scene.send(ann, dan)).toBe(full);
    expect(await scene.create(ann, bob)).toBe('201 success');

    // One direction is not enough, and nor is a request.
    await scene.follow(ann, dan);
    expect(await scene.send(ann, dan)).toBe(full);
    await scene.protect(ann);
    await scene.requestFollow(dan, ann);
    expect(await scene.send(ann, dan)).toBe(full);
    await scene.approve(ann, dan);
    expect(await scene.send(ann, dan)).toBe('201 success');
  });

  it('counts none with members who have written, or accepted that one writes to them', async () => {
    await using scene = await openStrangers(engine, 2);
    const { house, ann, bob, cleo, dan, eve } = scene;
    const [toBob, toCleo] = [await scene.request(ann, bob), await scene.request(ann, cleo)];
    // Both networks count together.
    expect(await scene.send(ann, dan)).toBe(full);
    expect(await scene.send(ann, bob)).toBe(full);
    await scene.do(bob, 'POST', `/requests/${toBob}/accept`);
    expect(await scene.send(ann, bob)).toBe('201 success');
    await scene.do(cleo, 'POST', `/requests/${toCleo}/decline`);
    expect(await scene.send(ann, cleo)).toBe(full);
    expect(await scene.create(ann, bob)).toBe('201 success');
    expect(await scene.create(ann, bob, dan)).toBe(full);

    house.clock.advance(HOUR);
    expect(await scene.send(ann, dan)).toBe('201 success');
    expect(await scene.send(ann, eve)).toBe('201 success');
    // What one wrote oneself makes nobody known.
    expect(await scene.create(ann, dan)).toBe(full);
    expect(await scene.ask(ann, dan)).toBe(full);
    await sendDirect(house, dan, ann, 'Yes?');
    expect(await scene.create(ann, dan)).toBe('201 success');
    expect(await scene.ask(ann, dan)).toBe('200 success');
    expect(await scene.create(ann, dan, eve)).toBe(full);
    // To dan she is none either: she wrote first.
    expect(await scene.send(dan, bob)).toBe('201 success');
    expect(await scene.send(dan, cleo)).toBe('201 success');
    expect(await scene.send(dan, eve)).toBe(full);
    expect(await scene.create(dan, ann)).toBe('201 success');
  });

  it('counts groups by whom they are made with, also when these are not in them any more', async () => {
    await using scene = await openStrangers(engine, 1);
    const { house, ann, bob, cleo, dan } = scene;
    const conversationId = await groupOf(house, [ann, ann]);
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
    const other = await groupOf(house, [ann, cleo]);
    await done(house, members.groupRemoveMember, ann, { conversationId: other, memberId: cleo.memberId });
    expect(await scene.send(ann, dan)).toBe(full);
    // That they were in a group together makes nobody known.
    expect(await scene.send(ann, bob)).toBe(full);
    expect(await scene.create(ann, ann)).toBe('201 success');
    house.clock.advance(HOUR);
    expect(await scene.send(ann, dan)).toBe('201 success');
    expect(await scene.create(ann, bob)).toBe(full);
  });

  it('does not count what somebody else began to who makes it a group', async () => {
    await using scene = await openStrangers(engine, 1);
    const { house, ann, bob, cleo, dan, eve } = scene;
    const { conversationId } = await sendDirect(house, bob, ann, 'Hello');
    await done(house, direct.promote, ann, { conversationId, newMemberIds: [cleo.memberId] });
    expect(await scene.send(ann, dan)).toBe('201 success');
    expect(await scene.send(ann, eve)).toBe(full);
  });

  it('is found by indexes', async () => {
    await using scene = await openStrangers(engine, 30);
    const { ann, bob, cleo } = scene;
    const others = [bob.memberId, cleo.memberId];
    const plans = await plansOf(scene, async (ctx) => await assertMayBegin(ctx, ann.memberId, others), true);
    for (const index of ['conversations_begun', 'conversations_pair']) expect(plans).toContain(index);
    if (engine === 'sqljs') expect(plans).toContain('conversations_begun (created_by=? AND created_at>?)');
    expect(plans).not.toMatch(/SCAN|AUTOMATIC|Seq Scan/);
  });
});
