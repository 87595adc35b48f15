import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';

/** As if so many were in it. */
async function counted({ ctx }: House, conversationId: string, member_count: number): Promise<void> {
  await ctx.db.updateTable('rooms').set({ member_count }).where('id', '=', conversationId).execute();
}

/** As if a member owned so many more, beside one group that they do own. */
async function owning({ ctx: { db } }: House, { memberId }: HouseMember, id: string, many: number): Promise<void> {
  const conversation = await db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { kind, role, joined_at, heard_from } = await db
    .selectFrom('room_members')
    .selectAll()
    .where('room_id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: many }, (_, at) => String(at).padStart(32, '0'));
  await db
    .insertInto('conversations')
    .values(ids.map((one) => ({ ...conversation, id: one, created_at: 0 })))
    .execute();
  await db
    .insertInto('room_members')
    .values(ids.map((room_id) => ({ kind, member_id: memberId, room_id, role, joined_at, heard_from })))
    .execute();
}

const { notifiesOfAll, mentions, owned, groupMembers, clientMembers } = chatLimits;

describe.each(engines)('@all on %s', (engine) => {
  it('is for everybody up to 50 members, and above for those who manage them', async () => {
    await using house = await openHouse(engine);
    const [owner, admin, moderator, member] = [
      await house.register(),
      await house.register(),
      await house.register(),
      await house.register(),
    ];
    const conversationId = await groupOf(house, [owner, admin, moderator, member]);
    for (const [role, { memberId }] of Object.entries({ admin, moderator } as const))
      await done(house, members.groupSetRole, owner, { conversationId, memberId, role: role as 'admin' });
    const said = async (who: HouseMember) => {
      house.clock.advance(60_000);
      const { status, body } = await house.perform(groups.sendToGroup, { conversationId, content: '@all' }, who.token);
      return `${status} ${body.error?.reason ?? 'sent'}`;
    };
    const all = [owner, admin, moderator, member];
    const answers = async (count: number) => {
      await counted(house, conversationId, count);
      return await Promise.all(all.map(said));
    };
    expect(await answers(notifiesOfAll)).toEqual(all.map(() => '201 sent'));
    const no = '403 FORBIDDEN';
    expect(await answers(notifiesOfAll + 1)).toEqual(['201 sent', '201 sent', no, no]);
    const { id: messageId } = await done(house, groups.sendToGroup, member, { conversationId, content: 'To some' });
    const edit = { conversationId, messageId, content: 'Rather to @all' };
    expect(await refused(house, messages.groupEditMessage, member, edit)).toBe(no);
  });

  it('is refused by the same rule where the sender says whom a message names', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const said = async (who: typeof ann) => {
      const { clientId, envelope } = scene.seal(who, garden, '@all');
      const input = { conversationId: garden.id, clientId, envelope: { ...envelope, mentions: ['all'] } };
      const { status, body } = await house.perform(groups.sendToGroup, input, who.token);
      return `${status} ${body.error?.reason ?? 'sent'}`;
    };
    await counted(house, garden.id, notifiesOfAll);
    expect(await said(bob)).toBe('201 sent');
    await counted(house, garden.id, notifiesOfAll + 1);
    expect([await said(ann), await said(bob)]).toEqual(['201 sent', '403 FORBIDDEN']);
  });
});

describe.each(engines)('conversations have bounds on %s, where they', (engine) => {
  it('name at most 50 members in one message', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob]);
    const named = (many: number) => Array.from({ length: many }, (_, at) => `@name-${at}`).join(' ');
    const { id: messageId } = await done(house, groups.sendToGroup, bob, { conversationId, content: named(mentions) });
    const content = named(mentions + 1);
    expect(await refused(house, groups.sendToGroup, bob, { conversationId, content })).toBe('400 TOO_MANY_MENTIONS');
    const edit = { conversationId, messageId, content };
    expect(await refused(house, messages.groupEditMessage, bob, edit)).toBe('400 TOO_MANY_MENTIONS');
    // One who is named twice is one.
    const twice = `${named(mentions)} @name-0`;
    await done(house, groups.sendToGroup, bob, { conversationId, content: twice });
  });

  it('are owned by one member, 500 at most, in whichever way they come to own one', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const theirs = await groupOf(house, [bob, ann]);
    const { conversationId: two } = await sendDirect(house, ann, cid, 'For two');
    await owning(house, ann, await groupOf(house, [ann, bob]), owned - 2);
    // The last one that there is room for.
    await channelOf(house, [ann], { name: 'last' });
    const full = '409 CONVERSATIONS_FULL';
    expect(await refused(house, groups.createGroup, ann, { name: 'More', memberIds: [bob.memberId] })).toBe(full);
    expect(await refused(house, channels.createChannel, ann, { name: 'more', visibility: 'public' })).toBe(full);
    expect(await refused(house, direct.promote, ann, { conversationId: two, newMemberIds: [bob.memberId] })).toBe(full);
    const handOver = { conversationId: theirs, memberId: ann.memberId, role: 'owner' } as const;
    expect(await refused(house, members.groupSetRole, bob, handOver)).toBe(full);
    expect((await done(house, groups.showGroup, bob, { conversationId: theirs })).role).toBe('owner');
    await done(house, direct.promote, cid, { conversationId: two, newMemberIds: [bob.memberId] });
  });

  it('are groups of 255 members at most', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, await house.register()]);
    const add = (who: HouseMember) => ({ conversationId, memberIds: [who.memberId] });
    await counted(house, conversationId, groupMembers - 1);
    await done(house, members.groupAddMembers, ann, add(bob));
    expect(await refused(house, members.groupAddMembers, ann, add(cid))).toBe('409 ROOM_FULL');
  });

  it('are read by 255 members at most if nobody else can', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = scene.newId();
    const epoch = scene.makeKey(ann, conversationId, [ann]).sent;
    const own = { name: 'sealed', visibility: 'public', mode: 'client', conversationId, epoch } as const;
    await done(house, channels.createChannel, ann, own);
    await counted(house, conversationId, clientMembers - 1);
    await done(house, channels.joinChannel, bob, { conversationId });
    expect(await refused(house, channels.joinChannel, cleo, { conversationId })).toBe('409 ROOM_FULL');
  });
});
