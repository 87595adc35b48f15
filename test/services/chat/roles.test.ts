import { describe, expect, it } from 'vitest';
import { chatRoles, type ChatRole } from '../../../src/contract/chat/conversation.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import type { JsonOperation } from '../../../src/contract/operation.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { done, groupOf, refused } from './chat-scene.ts';

/** The table of document 3, for what concerns the conversation as a whole. */
const permitted: Readonly<Record<string, readonly ChatRole[]>> = {
  send: ['owner', 'admin', 'moderator', 'member'],
  'delete own': ['owner', 'admin', 'moderator', 'member'],
  pin: ['owner', 'admin', 'moderator'],
  'read the log': ['owner', 'admin', 'moderator'],
  'read the bans': ['owner', 'admin', 'moderator'],
  add: ['owner', 'admin'],
  rename: ['owner'],
};

/** What is done to somebody needs a rank above theirs as well. */
const permittedOver: Readonly<Record<string, readonly ChatRole[]>> = {
  'delete of': ['owner', 'admin', 'moderator'],
  mute: ['owner', 'admin', 'moderator'],
  unmute: ['owner', 'admin', 'moderator'],
  kick: ['owner', 'admin', 'moderator'],
  ban: ['owner', 'admin', 'moderator'],
  remove: ['owner', 'admin'],
  'give a role to': ['owner'],
};

const ranks: Readonly<Record<ChatRole, number>> = { owner: 3, admin: 2, moderator: 1, member: 0 };

/** A group with two members of each role but the owner's, of which there is one. */
interface Cast {
  readonly house: House;
  readonly conversationId: string;
  readonly of: Readonly<Record<ChatRole, readonly HouseMember[]>>;
  readonly stranger: HouseMember;
}

async function castOf(house: House): Promise<Cast> {
  const [owner, ...others] = await Promise.all(Array.from({ length: 8 }, async () => await house.register()));
  const [admin, admin2, moderator, moderator2, member, member2, stranger] = others;
  const all = [owner!, admin!, admin2!, moderator!, moderator2!, member!, member2!];
  const conversationId = await groupOf(house, all);
  const of = {
    owner: [owner!],
    admin: [admin!, admin2!],
    moderator: [moderator!, moderator2!],
    member: [member!, member2!],
  };
  for (const role of ['admin', 'moderator'] as const)
    for (const { memberId } of of[role])
      await done(house, members.groupSetRole, owner!, { conversationId, memberId, role });
  return { house, conversationId, of, stranger: stranger! };
}

/** A try, which must not outlive itself: what succeeds is undone by the owner. */
type Try = (cast: Cast, actor: HouseMember, subject: HouseMember) => Promise<string>;

const tries: Readonly<Record<string, Try>> = {
  send: async (cast, actor) => await tried(cast, groups.sendToGroup, actor, { content: 'x' }),
  'delete own': async (cast, actor) => {
    const { house, conversationId } = cast;
    const { id: messageId } = await done(house, groups.sendToGroup, actor, { conversationId, content: 'x' });
    return await tried(cast, messages.groupDeleteMessage, actor, { messageId });
  },
  pin: async (cast, actor) => await tried(cast, messages.groupPin, actor, { messageId: await messageBy(cast, actor) }),
  'read the log': async (cast, actor) => await tried(cast, moderation.groupLog, actor, {}),
  'read the bans': async (cast, actor) => await tried(cast, moderation.groupBans, actor, {}),
  add: async (cast, actor) => {
    const said = await tried(cast, members.groupAddMembers, actor, { memberIds: [cast.stranger.memberId] });
    if (said === 'done') await tried(cast, members.groupRemoveMember, ownerOf(cast), cast.stranger);
    return said;
  },
  rename: async (cast, actor) => await tried(cast, groups.updateGroup, actor, { name: 'Other' }),
  'delete of': async (cast, actor, subject) =>
    await tried(cast, messages.groupDeleteMessage, actor, { messageId: await messageBy(cast, subject) }),
  mute: async (cast, actor, subject) => {
    const said = await tried(cast, moderation.groupMute, actor, { memberId: subject.memberId, durationMs: 1000 });
    if (said === 'done') await tried(cast, moderation.groupUnmute, ownerOf(cast), subject);
    return said;
  },
  unmute: async (cast, actor, { memberId }) => await tried(cast, moderation.groupUnmute, actor, { memberId }),
  kick: async (cast, actor, subject) => await comingBack(cast, moderation.groupKick, actor, subject),
  ban: async (cast, actor, subject) => await comingBack(cast, moderation.groupBan, actor, subject),
  remove: async (cast, actor, subject) => await comingBack(cast, members.groupRemoveMember, actor, subject),
  'give a role to': async (cast, actor, subject) => {
    const role = roleOf(cast, subject);
    return await tried(cast, members.groupSetRole, actor, {
      memberId: subject.memberId,
      role: role === 'owner' ? 'admin' : role,
    });
  },
};

function ownerOf({ of }: Cast): HouseMember {
  return of.owner[0]!;
}

function roleOf({ of }: Cast, subject: HouseMember): ChatRole {
  return chatRoles.find((role) => of[role].includes(subject))!;
}

async function tried(
  { house, conversationId }: Cast,
  operation: JsonOperation,
  actor: HouseMember,
  input: object,
): Promise<string> {
  const { status, body } = await house.perform(operation, { conversationId, ...input }, actor.token);
  return status === operation.status ? 'done' : `${status} ${body.error.code}`;
}

async function messageBy({ house, conversationId }: Cast, { token }: HouseMember): Promise<string> {
  return (await done(house, groups.sendToGroup, { token }, { conversationId, content: 'x' })).id;
}

async function comingBack(cast: Cast, operation: JsonOperation, actor: HouseMember, subject: HouseMember) {
  const { memberId } = subject;
  const said = await tried(cast, operation, actor, { memberId });
  if (said !== 'done') return said;
  const owner = ownerOf(cast);
  await tried(cast, moderation.groupUnban, owner, { memberId });
  await tried(cast, members.groupAddMembers, owner, { memberIds: [memberId] });
  await tried(cast, members.groupSetRole, owner, { memberId, role: roleOf(cast, subject) });
  return said;
}

describe.each(engines)('roles in groups on %s', (engine) => {
  it('allow what the table says, to whom it says it', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const [action, allowed] of Object.entries(permitted))
      for (const role of chatRoles) {
        house.clock.advance(60_000);
        const actor = cast.of[role][0]!;
        found.push(`${role} ${action}: ${await tries[action]!(cast, actor, actor)}`);
        wanted.push(`${role} ${action}: ${allowed.includes(role) ? 'done' : '403 FORBIDDEN'}`);
      }
    expect(found).toEqual(wanted);
  });

  it('allow what the table says over members below them only', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const [action, allowed] of Object.entries(permittedOver))
      for (const role of chatRoles)
        for (const subjectRole of chatRoles) {
          if (role === 'owner' && subjectRole === 'owner') continue;
          house.clock.advance(3_600_000);
          const subject = cast.of[subjectRole].at(-1)!;
          found.push(`${role} ${action} ${subjectRole}: ${await tries[action]!(cast, cast.of[role][0]!, subject)}`);
          const isAllowed = allowed.includes(role) && ranks[role] > ranks[subjectRole];
          wanted.push(`${role} ${action} ${subjectRole}: ${isAllowed ? 'done' : '403 FORBIDDEN'}`);
        }
    expect(found).toEqual(wanted);
  });

  it('are nothing that somebody does to themselves, and one owner is always there', async () => {
    await using house = await openHouse(engine);
    const { conversationId, of, stranger } = await castOf(house);
    const owner = of.owner[0]!;
    const own = { conversationId, memberId: owner.memberId };
    expect(await refused(house, members.groupSetRole, owner, { ...own, role: 'member' })).toBe('403 FORBIDDEN');
    expect(await refused(house, moderation.groupKick, owner, own)).toBe('403 FORBIDDEN');
    expect(await refused(house, moderation.groupBan, owner, own)).toBe('403 FORBIDDEN');
    const strange = { conversationId, memberId: stranger.memberId };
    expect(await refused(house, members.groupSetRole, owner, { ...strange, role: 'owner' })).toBe('404 NOT_IN_ROOM');
    const heir = of.member[0]!;
    await done(house, members.groupSetRole, owner, { conversationId, memberId: heir.memberId, role: 'owner' });
    const { items } = await done(house, members.groupMembers, owner, { conversationId, role: 'owner' });
    expect(items).toMatchObject([{ memberId: heir.memberId }]);
    const { items: admins } = await done(house, members.groupMembers, owner, { conversationId, role: 'admin' });
    expect(admins.map(({ memberId }) => memberId)).toContain(owner.memberId);
  });
});
