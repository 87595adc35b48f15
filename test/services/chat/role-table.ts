import { chat } from '../../../src/contract/chat.ts';
import { chatRoles, type ChatRole, type RoomType } from '../../../src/contract/chat/conversation.ts';
import type { JsonOperation } from '../../../src/contract/operation.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { channelOf, done, groupOf } from './chat-scene.ts';

/** A group or channel with two members of each role but the owner's, of which there is one. */
export interface Cast {
  readonly house: House;
  readonly type: RoomType;
  readonly conversationId: string;
  readonly of: Readonly<Record<ChatRole, readonly HouseMember[]>>;
  readonly stranger: HouseMember;
}

/** A try, which must not outlive itself: what succeeds is undone by the owner. @returns `done`, or the refusal */
type Try = (cast: Cast, actor: HouseMember, subject: HouseMember) => Promise<string>;

interface Row {
  /** id of the operation; `*` stands for the type of the conversation */
  readonly operation: string;
  readonly allowed: readonly ChatRole[];
  /** what the others are answered, where it is not a matter of their role */
  readonly otherwise?: string;
  readonly attempt: Try;
}

const owners = ['owner'] as const;
const admins = [...owners, 'admin'] as const;
const moderators = [...admins, 'moderator'] as const;
const everyone = [...moderators, 'member'] as const;
const nobody: readonly ChatRole[] = [];

const row = (operation: string, allowed: readonly ChatRole[], attempt: Try, otherwise = '403 FORBIDDEN'): Row => ({
  operation,
  allowed,
  otherwise,
  attempt,
});

/** Does the operation of the row, with what it takes beside the conversation. */
function plain(operation: string, allowed: readonly ChatRole[], input: object = {}, otherwise?: string): Row {
  return row(operation, allowed, async (cast, actor) => await tried(cast, operation, actor, input), otherwise);
}

/** To a message that the actor, or the subject, has sent. */
function toMessage(
  operation: string,
  allowed: readonly ChatRole[],
  {
    by,
    input = {},
    otherwise,
  }: { readonly by: 'actor' | 'subject'; readonly input?: object; readonly otherwise?: string },
): Row {
  const attempt: Try = async (cast, actor, subject) => {
    const messageId = await messageBy(cast, by === 'actor' ? actor : subject);
    return await tried(cast, operation, actor, { messageId, ...input });
  };
  return row(operation, allowed, attempt, otherwise);
}

const own = { by: 'actor' } as const;

/** What concerns the conversation as a whole, or what its member has in it. */
export const permitted: Readonly<Record<string, Row>> = {
  send: plain('send-to-*', everyone, { content: 'x' }),
  schedule: row('*-schedule', everyone, async (cast, actor) => {
    const sendAt = new Date(cast.house.clock.now() + 86_400_000).toISOString();
    return await tried(cast, '*-schedule', actor, { content: 'x', sendAt });
  }),
  'edit own': toMessage('*-edit-message', everyone, { ...own, input: { content: 'y' } }),
  'edit of another': row('*-edit-message', nobody, async (cast, actor) => {
    const messageId = await messageBy(cast, others(cast, actor));
    return await tried(cast, '*-edit-message', actor, { messageId, content: 'y' });
  }),
  'delete own': toMessage('*-delete-message', everyone, own),
  react: toMessage('*-react', everyone, { ...own, input: { emoji: '👍' } }),
  'take back a reaction': row('*-unreact', everyone, async (cast, actor) => await unreacted(cast, actor, actor)),
  "take back another's reaction": row(
    '*-unreact',
    nobody,
    async (cast, actor) => await unreacted(cast, actor, others(cast, actor)),
    '403 FORBIDDEN',
  ),
  pin: toMessage('*-pin', moderators, own),
  unpin: row('*-unpin', moderators, async (cast, actor) => {
    const messageId = await messageBy(cast, actor);
    await must(cast, '*-pin', ownerOf(cast), { messageId });
    return await tried(cast, '*-unpin', actor, { messageId });
  }),
  'read the pins': plain('*-pins', everyone),
  'read the messages': plain('*-messages', everyone),
  'read a message': toMessage('*-message', everyone, own),
  'search the messages': plain('search-*', everyone, { query: 'something' }),
  'read the threads': plain('*-threads', everyone),
  'read a thread': row('*-thread', everyone, async (cast, actor) => await inThread(cast, '*-thread', actor)),
  'mark a thread as read': row(
    '*-read-thread',
    everyone,
    async (cast, actor) => await inThread(cast, '*-read-thread', actor),
  ),
  'follow a thread': row(
    '*-follow-thread',
    everyone,
    async (cast, actor) => await inThread(cast, '*-follow-thread', actor, { following: false }),
  ),
  show: plain('*', everyone),
  'list the members': plain('*-members', everyone),
  'read the keys': plain('*-keys', everyone),
  'mark as read': plain('*-read', everyone),
  type: plain('*-typing', everyone),
  'change how it notifies': plain('*-settings', everyone, { notifications: 'all' }),
  'save a draft': plain('*-save-draft', everyone, { content: 'x' }),
  'read a draft': plain('*-draft', everyone),
  'delete a draft': plain('*-delete-draft', everyone),
  'read the log': plain('*-log', moderators),
  'read the bans': plain('*-bans', moderators),
  unban: row('*-unban', moderators, async (cast, actor) => {
    const { memberId } = cast.stranger;
    await must(cast, '*-ban', ownerOf(cast), { memberId });
    const said = await tried(cast, '*-unban', actor, { memberId });
    if (said !== 'done') await must(cast, '*-unban', ownerOf(cast), { memberId });
    return said;
  }),
  add: row('*-add-members', admins, async (cast, actor) => {
    const { memberId } = cast.stranger;
    const said = await tried(cast, '*-add-members', actor, { memberIds: [memberId] });
    if (said === 'done') await must(cast, '*-remove-member', ownerOf(cast), { memberId });
    return said;
  }),
  change: plain('update-*', owners, { name: 'other' }),
  'make a webhook': row('*-create-webhook', owners, async (cast, actor) => {
    return await tried(cast, '*-create-webhook', actor, { name: 'Builds' });
  }),
  'list webhooks': plain('*-webhooks', owners),
  'remove a webhook': row('*-remove-webhook', owners, async (cast, actor) => {
    const { webhookId } = await must(cast, '*-create-webhook', ownerOf(cast), { name: 'Builds' });
    return await tried(cast, '*-remove-webhook', actor, { webhookId });
  }),
  leave: row(
    '*-leave',
    ['admin', 'moderator', 'member'],
    async (cast, actor) => await comingBack(cast, '*-leave', actor, actor),
    '403 LAST_OWNER',
  ),
};

/** Ends the conversation if it succeeds, and so comes after all others, and by the owner last. */
export const ending: typeof permitted = { delete: plain('delete-*', owners) };

/** What channels have beside it. */
export const permittedInChannels: typeof permitted = {
  ...permitted,
  invite: plain('create-invite', admins),
  'list invites': plain('invites', admins),
  'end an invite': row('end-invite', admins, async (cast, actor) => {
    const { inviteId } = await must(cast, 'create-invite', ownerOf(cast), {});
    return await tried(cast, 'end-invite', actor, { invite: inviteId });
  }),
};

/** What is done to somebody needs a rank above theirs as well. */
export const permittedOver: typeof permitted = {
  'delete of': toMessage('*-delete-message', moderators, { by: 'subject' }),
  mute: row('*-mute', moderators, async (cast, actor, { memberId }) => {
    const said = await tried(cast, '*-mute', actor, { memberId, durationMs: 1000 });
    if (said === 'done') await must(cast, '*-unmute', ownerOf(cast), { memberId });
    return said;
  }),
  unmute: row(
    '*-unmute',
    moderators,
    async (cast, actor, { memberId }) => await tried(cast, '*-unmute', actor, { memberId }),
  ),
  kick: row('*-kick', moderators, async (cast, actor, subject) => await comingBack(cast, '*-kick', actor, subject)),
  ban: row('*-ban', moderators, async (cast, actor, subject) => await comingBack(cast, '*-ban', actor, subject)),
  remove: row(
    '*-remove-member',
    admins,
    async (cast, actor, subject) => await comingBack(cast, '*-remove-member', actor, subject),
  ),
  'give a role to': row('*-set-role', owners, async (cast, actor, subject) => {
    const role = roleOf(cast, subject);
    const { memberId } = subject;
    return await tried(cast, '*-set-role', actor, { memberId, role: role === 'owner' ? 'admin' : role });
  }),
};

/** Operations in which no role in a group or channel takes part, and why. Those of two members have no roles. */
export const withoutRoles: Readonly<Record<string, string>> = {
  "one's own, or of all members of the node":
    'conversations groups channels joined-channels search presence set-presence member-key scheduled change-scheduled remove-scheduled leave-all leaving bots create-bot remove-bot upload-attachment delete-attachment',
  'begins a conversation, or is for who is in none': 'create-group create-channel join-channel invite redeem-invite',
  'of two members': 'send-direct promote',
  'of whoever can read the message: attachments.test.ts': 'attachment',
  'of whoever has the address: webhooks.test.ts': 'post-to-webhook',
  'of conversations that only members can read: epochs.test.ts': '*-epochs *-begin-epoch',
};

export const operations: ReadonlyMap<string, JsonOperation> = new Map(
  Object.values(chat).flatMap((operation) => (operation.form === 'json' ? [[operation.id, operation]] : [])),
);

export async function castOf(house: House, type: RoomType): Promise<Cast> {
  const [owner, ...rest] = await Promise.all(Array.from({ length: 8 }, async () => await house.register()));
  const [admin, admin2, moderator, moderator2, member, member2, stranger] = rest;
  const all = [owner!, admin!, admin2!, moderator!, moderator2!, member!, member2!];
  const name = `room-${owner!.username}`;
  const conversationId = await (type === 'group' ? groupOf(house, all) : channelOf(house, all, { name }));
  const of = {
    owner: [owner!],
    admin: [admin!, admin2!],
    moderator: [moderator!, moderator2!],
    member: [member!, member2!],
  };
  const cast = { house, type, conversationId, of, stranger: stranger! };
  for (const role of ['admin', 'moderator'] as const)
    for (const { memberId } of of[role]) await must(cast, '*-set-role', owner!, { memberId, role });
  return cast;
}

export function ownerOf({ of }: Cast): HouseMember {
  return of.owner[0]!;
}

function roleOf({ of }: Cast, subject: HouseMember): ChatRole {
  return chatRoles.find((role) => of[role].includes(subject))!;
}

/** Somebody who is not the actor, and whom the actor outranks where anybody can. */
function others({ of }: Cast, actor: HouseMember): HouseMember {
  return of.member.find((one) => one !== actor)!;
}

function operationOf(type: RoomType, pattern: string): JsonOperation {
  const found = operations.get(`chat.${pattern.replace('*', type)}`);
  if (found === undefined) throw new Error(`there is no operation ${pattern}`);
  return found;
}

export async function tried(
  { house, type, conversationId }: Cast,
  pattern: string,
  actor: HouseMember,
  input: object,
): Promise<string> {
  const operation = operationOf(type, pattern);
  const { status, body } = await house.perform(operation, { conversationId, ...input }, actor.token);
  return status === operation.status ? 'done' : `${status} ${body.error.reason}`;
}

async function must(
  { house, type, conversationId }: Cast,
  pattern: string,
  actor: HouseMember,
  input: object,
): Promise<Record<string, string>> {
  return (await done(house, operationOf(type, pattern), actor, { conversationId, ...input })) as Record<string, string>;
}

async function messageBy(cast: Cast, author: HouseMember): Promise<string> {
  return (await must(cast, 'send-to-*', author, { content: 'x' }))['id']!;
}

async function unreacted(cast: Cast, actor: HouseMember, reactor: HouseMember): Promise<string> {
  const messageId = await messageBy(cast, actor);
  const { reactionId } = await must(cast, '*-react', reactor, { messageId, emoji: '👍' });
  return await tried(cast, '*-unreact', actor, { messageId, reactionId });
}

async function inThread(cast: Cast, pattern: string, actor: HouseMember, input: object = {}): Promise<string> {
  const messageId = await messageBy(cast, actor);
  await must(cast, 'send-to-*', ownerOf(cast), { content: 'x', replyToMessageId: messageId });
  return await tried(cast, pattern, actor, { messageId, ...input });
}

async function comingBack(cast: Cast, pattern: string, actor: HouseMember, subject: HouseMember): Promise<string> {
  const { memberId } = subject;
  const said = await tried(cast, pattern, actor, pattern === '*-leave' ? {} : { memberId });
  if (said !== 'done') return said;
  const owner = ownerOf(cast);
  await tried(cast, '*-unban', owner, { memberId });
  await must(cast, '*-add-members', owner, { memberIds: [memberId] });
  await must(cast, '*-set-role', owner, { memberId, role: roleOf(cast, subject) });
  return said;
}
