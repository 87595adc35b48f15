import { describe, expect, it } from 'vitest';
import { chat } from '../../../src/contract/chat.ts';
import { chatRoles, type ChatRole, type RoomType } from '../../../src/contract/chat/conversation.ts';
import type { JsonOperation } from '../../../src/contract/operation.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { channelOf, done, groupOf } from './chat-scene.ts';

/** The table of document 3, for what concerns the conversation as a whole. */
const permitted: Readonly<Record<string, readonly ChatRole[]>> = {
  send: ['owner', 'admin', 'moderator', 'member'],
  'delete own': ['owner', 'admin', 'moderator', 'member'],
  pin: ['owner', 'admin', 'moderator'],
  'read the log': ['owner', 'admin', 'moderator'],
  'read the bans': ['owner', 'admin', 'moderator'],
  add: ['owner', 'admin'],
  change: ['owner'],
};

/** What channels have beside it. */
const permittedInChannels: typeof permitted = {
  ...permitted,
  invite: ['owner', 'admin'],
  'list invites': ['owner', 'admin'],
  'end an invite': ['owner', 'admin'],
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

/** A group or channel with two members of each role but the owner's, of which there is one. */
interface Cast {
  readonly house: House;
  readonly type: RoomType;
  readonly conversationId: string;
  readonly of: Readonly<Record<ChatRole, readonly HouseMember[]>>;
  readonly stranger: HouseMember;
}

async function castOf(house: House, type: RoomType): Promise<Cast> {
  const [owner, ...others] = await Promise.all(Array.from({ length: 8 }, async () => await house.register()));
  const [admin, admin2, moderator, moderator2, member, member2, stranger] = others;
  const all = [owner!, admin!, admin2!, moderator!, moderator2!, member!, member2!];
  const conversationId = await (type === 'group' ? groupOf(house, all) : channelOf(house, all));
  const of = {
    owner: [owner!],
    admin: [admin!, admin2!],
    moderator: [moderator!, moderator2!],
    member: [member!, member2!],
  };
  for (const role of ['admin', 'moderator'] as const)
    for (const { memberId } of of[role])
      await done(house, operationOf(type, 'set-role'), owner!, { conversationId, memberId, role });
  return { house, type, conversationId, of, stranger: stranger! };
}

const operations = new Map<string, JsonOperation>(
  Object.values(chat).flatMap((operation) => (operation.form === 'json' ? [[operation.id, operation]] : [])),
);

/** What both types have, by what its id says beside the type. */
function operationOf(type: RoomType, name: string): JsonOperation {
  const ids = [`chat.${type}-${name}`, `chat.${name}-${type}`, `chat.${name}`];
  const [found] = ids.flatMap((id) => operations.get(id) ?? []);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** A try, which must not outlive itself: what succeeds is undone by the owner. */
type Try = (cast: Cast, actor: HouseMember, subject: HouseMember) => Promise<string>;

const tries: Readonly<Record<string, Try>> = {
  send: async (cast, actor) => await tried(cast, 'send-to', actor, { content: 'x' }),
  'delete own': async (cast, actor) =>
    await tried(cast, 'delete-message', actor, { messageId: await messageBy(cast, actor) }),
  pin: async (cast, actor) => await tried(cast, 'pin', actor, { messageId: await messageBy(cast, actor) }),
  'read the log': async (cast, actor) => await tried(cast, 'log', actor, {}),
  'read the bans': async (cast, actor) => await tried(cast, 'bans', actor, {}),
  add: async (cast, actor) => {
    const said = await tried(cast, 'add-members', actor, { memberIds: [cast.stranger.memberId] });
    if (said === 'done') await tried(cast, 'remove-member', ownerOf(cast), cast.stranger);
    return said;
  },
  change: async (cast, actor) => await tried(cast, 'update', actor, { name: 'other' }),
  invite: async (cast, actor) => await tried(cast, 'create-invite', actor, {}),
  'list invites': async (cast, actor) => await tried(cast, 'invites', actor, {}),
  'end an invite': async (cast, actor) => {
    const { house, conversationId } = cast;
    const { inviteId } = await done(house, chat.createInvite, ownerOf(cast), { conversationId });
    return await tried(cast, 'end-invite', actor, { invite: inviteId });
  },
  'delete of': async (cast, actor, subject) =>
    await tried(cast, 'delete-message', actor, { messageId: await messageBy(cast, subject) }),
  mute: async (cast, actor, subject) => {
    const said = await tried(cast, 'mute', actor, { memberId: subject.memberId, durationMs: 1000 });
    if (said === 'done') await tried(cast, 'unmute', ownerOf(cast), subject);
    return said;
  },
  unmute: async (cast, actor, { memberId }) => await tried(cast, 'unmute', actor, { memberId }),
  kick: async (cast, actor, subject) => await comingBack(cast, 'kick', actor, subject),
  ban: async (cast, actor, subject) => await comingBack(cast, 'ban', actor, subject),
  remove: async (cast, actor, subject) => await comingBack(cast, 'remove-member', actor, subject),
  'give a role to': async (cast, actor, subject) => {
    const role = roleOf(cast, subject);
    return await tried(cast, 'set-role', actor, {
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
  { house, type, conversationId }: Cast,
  name: string,
  actor: HouseMember,
  input: object,
): Promise<string> {
  const operation = operationOf(type, name);
  const { status, body } = await house.perform(operation, { conversationId, ...input }, actor.token);
  return status === operation.status ? 'done' : `${status} ${body.error.code}`;
}

async function messageBy({ house, type, conversationId }: Cast, author: HouseMember): Promise<string> {
  const { id } = (await done(house, operationOf(type, 'send-to'), author, { conversationId, content: 'x' })) as {
    readonly id: string;
  };
  return id;
}

async function comingBack(cast: Cast, operation: string, actor: HouseMember, subject: HouseMember) {
  const { memberId } = subject;
  const said = await tried(cast, operation, actor, { memberId });
  if (said !== 'done') return said;
  const owner = ownerOf(cast);
  await tried(cast, 'unban', owner, { memberId });
  await tried(cast, 'add-members', owner, { memberIds: [memberId] });
  await tried(cast, 'set-role', owner, { memberId, role: roleOf(cast, subject) });
  return said;
}

async function withRole({ house, type, conversationId, of }: Cast, role: ChatRole): Promise<string[]> {
  const page = await done(house, operationOf(type, 'members'), of.admin[0]!, { conversationId, role });
  return (page as { readonly items: readonly { readonly memberId: string }[] }).items.map((one) => one.memberId);
}

const places = engines.flatMap((engine) => (['group', 'channel'] as const).map((type) => [type, engine] as const));

describe.each(places)('roles in a %s on %s', (type, engine) => {
  it('allow what the table says, to whom it says it', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house, type);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const [action, allowed] of Object.entries(type === 'group' ? permitted : permittedInChannels))
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
    const cast = await castOf(house, type);
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
    const cast = await castOf(house, type);
    const { of, stranger } = cast;
    const owner = of.owner[0]!;
    const { memberId } = owner;
    expect(await tried(cast, 'set-role', owner, { memberId, role: 'member' })).toBe('403 FORBIDDEN');
    expect(await tried(cast, 'kick', owner, { memberId })).toBe('403 FORBIDDEN');
    expect(await tried(cast, 'ban', owner, { memberId })).toBe('403 FORBIDDEN');
    const strange = { memberId: stranger.memberId, role: 'owner' };
    expect(await tried(cast, 'set-role', owner, strange)).toBe('404 NOT_IN_ROOM');
    const heir = of.member[0]!.memberId;
    expect(await tried(cast, 'set-role', owner, { memberId: heir, role: 'owner' })).toBe('done');
    expect(await withRole(cast, 'owner')).toEqual([heir]);
    expect(await withRole(cast, 'admin')).toContain(memberId);
  });
});
