import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { openHouse } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';

describe.each(bothEngines)('groups on %s', (engine) => {
  it('count as conversations that their owner has begun if there are strangers in them', async () => {
    await using house = await openHouse(engine, {
      config: { chat: { begunPerHour: 3, idleAfterMs: 600_000, retentionMs: undefined } },
    });
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const create = async (...others: HouseMember[]) => {
      const memberIds = others.map(({ memberId }) => memberId);
      const { status, headers, body } = await house.perform(groups.createGroup, { name: 'A', memberIds }, ann.token);
      return { said: `${status} ${body.error?.reason ?? ''}`.trim(), headers };
    };
    const send = async (to: HouseMember) => {
      const message = { recipientId: to.memberId, content: 'Hello' };
      return (await house.perform(direct.sendDirect, message, ann.token)).body;
    };
    // Whoever begins it alone adds others later, and it does not count.
    for (const others of [[ann], [bob, cid], [bob]]) expect((await create(...others)).said).toBe('201');
    const { conversationId } = (await send(bob)).data;
    const refused = await create(cid);
    expect(refused.said).toBe('429 RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await send(cid)).error.reason).toBe('RATE_LIMITED');
    // In one that is there they go on. It stays begun when it becomes a group.
    expect((await send(bob)).data.seq).toBe(2);
    const promotion = { conversationId, newMemberIds: [cid.memberId] };
    expect((await house.perform(direct.promote, promotion, ann.token)).status).toBe(200);
    expect((await send(bob)).error.reason).toBe('RATE_LIMITED');
    house.clock.advance(3_600_000);
    expect((await create(cid)).said).toBe('201');
  });

  it('have members with roles, who come and go with keys of their own', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid, dan] = [
      await house.register(),
      await house.register(),
      await house.register(),
      await house.register(),
    ];
    const made = await house.perform(groups.createGroup, { name: 'Garden', memberIds: [bob.memberId] }, ann.token);
    expect(made).toMatchObject({
      status: 201,
      body: { data: { name: 'Garden', creatorId: ann.memberId, memberCount: 2, role: 'owner' } },
    });
    const conversationId = made.body.data.id as string;
    const said = await house.perform(groups.sendToGroup, { conversationId, content: 'First' }, ann.token);
    expect(said).toMatchObject({ status: 201, body: { data: { groupId: conversationId, seq: 1, epoch: 1 } } });
    const added = await house.perform(
      members.groupAddMembers,
      { conversationId, memberIds: [cid.memberId, cid.memberId, ann.memberId] },
      ann.token,
    );
    expect(added.body).toMatchObject({ data: { added: [cid.memberId] } });
    const second = await house.perform(groups.sendToGroup, { conversationId, content: 'Second' }, bob.token);
    expect(second.body.data).toMatchObject({ seq: 2, epoch: 2 });
    const seen = await house.perform(messages.groupMessages, { conversationId }, cid.token);
    expect(seen.body.data.items).toMatchObject([{ content: 'Second' }]);
    const again = await house.perform(
      members.groupAddMembers,
      { conversationId, memberIds: [cid.memberId] },
      ann.token,
    );
    expect(again).toMatchObject({ status: 409, body: { error: { reason: 'ALREADY_IN_ROOM' } } });
    const kicked = await house.perform(moderation.groupKick, { conversationId, memberId: cid.memberId }, ann.token);
    expect(kicked.body).toMatchObject({ data: { kicked: true } });
    expect(await house.perform(messages.groupMessages, { conversationId }, cid.token)).toMatchObject({ status: 403 });
    const third = await house.perform(groups.sendToGroup, { conversationId, content: 'Third' }, bob.token);
    expect(third.body.data).toMatchObject({ seq: 3, epoch: 3 });
    const keys = await house.perform(places.groupKeys, { conversationId }, bob.token);
    expect(keys.body.data.keys.map(({ epoch }: { epoch: number }) => epoch)).toEqual([1, 2, 3]);
    expect(await house.perform(members.groupLeave, { conversationId }, ann.token)).toMatchObject({
      status: 403,
      body: { error: { reason: 'LAST_OWNER' } },
    });
    const role = await house.perform(
      members.groupSetRole,
      { conversationId, memberId: bob.memberId, role: 'owner' },
      ann.token,
    );
    expect(role.body).toMatchObject({ data: { memberId: bob.memberId, role: 'owner' } });
    expect(await house.perform(members.groupLeave, { conversationId }, ann.token)).toMatchObject({ status: 200 });
    expect(await house.perform(members.groupLeave, { conversationId }, bob.token)).toMatchObject({ status: 200 });
    expect(await house.perform(groups.showGroup, { conversationId }, bob.token)).toMatchObject({ status: 404 });
    const sent = await house.perform(direct.sendDirect, { recipientId: dan.memberId, content: 'Hi' }, ann.token);
    const promoted = await house.perform(
      direct.promote,
      { conversationId: sent.body.data.conversationId, newMemberIds: [cid.memberId] },
      dan.token,
    );
    expect(promoted.body).toMatchObject({ data: { groupId: sent.body.data.conversationId } });
    const old = await house.perform(messages.groupMessages, { conversationId: promoted.body.data.groupId }, ann.token);
    expect(old.body.data.items).toMatchObject([{ content: 'Hi' }]);
    const log = await house.perform(moderation.groupLog, { conversationId: promoted.body.data.groupId }, dan.token);
    expect(log.body.data.items).toMatchObject([{ action: 'add', subjectId: cid.memberId }]);
  });
});
