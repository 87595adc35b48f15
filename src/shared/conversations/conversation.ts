import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { conversationTopic } from '../../contract/chat/events.ts';
import { inboxTopic } from '../../contract/chat/inbox/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { topicName } from '../../contract/event.ts';
import { Problem } from '../../base/problem.ts';
import type { ConversationPlaceRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { RoomRole } from '../../platform/store/tables/rooms.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import type { Room } from '../groups/room.ts';
import { requireLiveRight } from './bot-rights.ts';
import { rulesOf, type ConversationType } from './types.ts';

/** All conversations are rooms of one kind, so that what is sealed in them stays readable when they become something else. */
const conversationKind = 'conversation';

export function roomOf(id: string): Room {
  return { kind: conversationKind, id };
}

export function topicOfConversation(id: string): string {
  return topicName(conversationTopic, id);
}

export function topicOfInbox(memberId: string): string {
  return topicName(inboxTopic, memberId);
}

/** What identifies the conversation of two members. */
export function pairOf(type: ConversationType, one: string, other: string): string {
  return [type, ...[one, other].toSorted()].join(' ');
}

/** The two members of a conversation of two; nobody for others. */
export function membersOfPair({ pair }: Pick<ConversationRow, 'pair'>): readonly string[] {
  return pair?.split(' ').slice(1) ?? [];
}

/** The other one of two. */
export function otherOf(conversation: Pick<ConversationRow, 'pair'>, memberId: string): string {
  const other = membersOfPair(conversation).find((id) => id !== memberId);
  if (other === undefined) throw new Error('the conversation is not one of two members');
  return other;
}

type PlaceColumns = Omit<ConversationPlaceRow, 'conversation_id' | 'member_id'>;

/** A conversation with what one of its members has in it. */
export interface Seat extends ConversationRow, PlaceColumns {
  readonly role: RoomRole;
  /** members of the conversation */
  readonly member_count: number;
}

type Found = ConversationRow & { readonly [K in keyof Omit<Seat, keyof ConversationRow>]: Seat[K] | null };

export const placeColumns = [
  'joined_seq',
  'left_seq',
  'cleared_seq',
  'read_seq',
  'read_at',
  'level',
  'muted_until',
  'pinned',
  'archived',
  'busy_until',
  'spoke_at',
  'closed',
] as const satisfies readonly (keyof PlaceColumns)[];

const seatBy = (where: string) =>
  writtenQuery<Found>(`
    select c.*, r.member_count, m.role, ${placeColumns.map((column) => `p.${column}`).join(', ')}
    from conversations c
    join rooms r on r.kind = '${conversationKind}' and r.id = c.id
    left join room_members m on m.kind = '${conversationKind}' and m.room_id = c.id and m.member_id = $1
    left join conversation_places p on p.conversation_id = m.room_id and p.member_id = m.member_id
    where ${where} = $2`);
const seatById = seatBy('c.id');
const seatByPair = seatBy('c.pair');

/**
 * A conversation that the actor is in.
 * @throws Problem missing CONVERSATION_NOT_FOUND, also for one of another type or one that is secret; forbidden FORBIDDEN; INSUFFICIENT_SCOPE for a
 *   bot token whose right has ended meanwhile
 */
export async function requireSeat(
  { db }: Pick<Context, 'db'>,
  { memberId, bot }: Pick<Actor, 'memberId' | 'bot'>,
  types: readonly string[],
  id: string,
): Promise<Seat> {
  const [found] = (await db.executeQuery(seatById(memberId, id))).rows;
  if (bot !== undefined) await requireLiveRight({ db }, bot, id);
  if (found === undefined || !types.includes(found.type)) throw noConversation();
  if (isSeat(found)) return found;
  if (isSecret(found)) throw noConversation();
  throw new Problem('forbidden', 'FORBIDDEN', 'You are not in this conversation.');
}

/** The same for who does not ask why there is none. @returns undefined instead of both problems */
export async function seatIfThere(
  { db }: Pick<Context, 'db'>,
  { memberId }: Pick<Actor, 'memberId'>,
  types: readonly string[],
  id: string,
): Promise<Seat | undefined> {
  const [found] = (await db.executeQuery(seatById(memberId, id))).rows;
  return found !== undefined && types.includes(found.type) && isSeat(found) ? found : undefined;
}

/** Whether only its members may know that it is there. */
export function isSecret({ visibility }: Pick<ConversationRow, 'visibility'>): boolean {
  return visibility === 'secret' || visibility === 'invisible';
}

/** Whether it may have so many members that its keys are encrypted to them when they ask. */
export function hasKeysOnDemand({ type, mode }: Pick<ConversationRow, 'type' | 'mode'>): boolean {
  return type === 'channel' && !isClientMode({ mode });
}

/** Whether only its members can read what is said. The node has none of its keys. */
export function isClientMode({ mode }: Pick<ConversationRow, 'mode'>): boolean {
  return mode === 'client';
}

/** So many members a conversation may have. */
export function mostMembersOf(conversation: Pick<ConversationRow, 'type' | 'mode'>): number {
  const { members } = rulesOf(conversation);
  return isClientMode(conversation) ? Math.min(members, chatLimits.clientMembers) : members;
}

/** The conversation of two members, as the first of them sees it. */
export async function seatOfPair(
  { db }: Pick<Context, 'db'>,
  type: ConversationType,
  memberId: string,
  otherId: string,
): Promise<Seat | undefined> {
  const [found] = (await db.executeQuery(seatByPair(memberId, pairOf(type, memberId, otherId)))).rows;
  return found !== undefined && isSeat(found) ? found : undefined;
}

function isSeat(found: Found): found is Seat {
  return found.role !== null && found.joined_seq !== null;
}

export function noConversation(): Problem {
  return new Problem('missing', 'CONVERSATION_NOT_FOUND', 'There is no such conversation.');
}
