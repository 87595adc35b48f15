import { Problem } from '../../base/problem.ts';
import type { Room } from '../../crypto/room-keys.ts';
import type { Caller } from '../perform.ts';
import { readMembers, type Member, type Place } from './conversation-reads.ts';
import { calledBy, doubt, type Called } from './doubts.ts';
import { readChain, readEarlier, withEpochs, type EpochChain, type Self } from './epoch-chain.ts';
import {
  forgetPairs,
  listKnown,
  readKnown,
  remember,
  withoutEpochs,
  type KnownConversation,
  type Memory,
} from './known-conversations.ts';
import type { KnownEpoch } from './member-epochs.ts';

/** A conversation as the node names it. */
export interface NamedPlace extends Place {
  readonly title: string;
  /** of a conversation of two: both */
  readonly participants?: readonly string[] | undefined;
}

export interface Opening {
  readonly caller: Caller;
  readonly place: NamedPlace;
  readonly self: Self;
  readonly memory: Memory;
  /** `look`: as it is there now, whatever this machine remembers, which stays; `believe`: the same, and it is remembered from now on */
  readonly accept?: 'look' | 'believe' | undefined;
}

/** A conversation that only its members can read, with everything proven that signatures prove. */
export interface OpenConversation extends Opening {
  readonly room: Room;
  readonly called: Called;
  /** what members are called, by id; one of a conversation of two by its title */
  readonly names: ReadonlyMap<string, string>;
  /** the newest epoch; undefined if the member at this machine waits for the key */
  readonly current: KnownEpoch | undefined;
  /** whether a key has to be made before anything is sent */
  readonly closed: boolean;
  /** the first epoch that can be read here; null: none */
  readonly oldest: number | null;
  /** as the node lists them; none of a conversation of two */
  readonly members: readonly Member[];
  /** ids of those who have the newest key, and are still there */
  readonly holders: readonly string[];
  /** those who are there and have no key */
  readonly waiting: readonly Member[];
  /** what is proven and open so far, by the number of the epoch */
  readonly epochs: Map<number, KnownEpoch>;
  readonly keys: Map<number, Uint8Array>;
  /** why there is no key of an epoch that is for this member, too */
  readonly unopened: Map<number, string>;
  /** Opens earlier epochs too, from one on. @throws Problem network EPOCH_REPLACED */
  load(from: number): Promise<void>;
}

export function roomOfConversation(id: string): Room {
  return { kind: 'conversation', id };
}

/** The members may change between two answers, which do not fit then. */
const ATTEMPTS = 3;

/**
 * Opens a conversation, and remembers on this machine what it proved.
 *
 * @throws Problem network if anything does not fit: CONVERSATION_MEMBERS_FOREIGN, CONVERSATION_MODE_CHANGED, MEMBER_NOT_SIGNED, and those
 *   of `readChain` and `readMembers`
 */
export async function openConversation(opening: Opening): Promise<OpenConversation> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await opened(opening);
    } catch (error) {
      if (left <= 1 || !(error instanceof Problem) || error.code !== 'MEMBER_NOT_SIGNED') throw error;
    }
  }
}

async function opened(opening: Opening): Promise<OpenConversation> {
  const { caller, place, self, memory, accept } = opening;
  const room = roomOfConversation(place.id);
  const known = accept === undefined ? await readKnown(memory, place.id) : undefined;
  const other = otherIn(opening);
  await assertRemembered(opening, known, other);
  // In this order: whoever is listed with a key is in the epochs that are read afterwards.
  const members = await readMembers(caller, place);
  const names = namesOf(opening, members);
  const called = calledBy(names);
  const asking = { caller, place, room, self, called, known };
  const chain = await readChain(asking);
  if (chain.mode !== 'client') throw modeChanged(place.title);
  assertPair(opening, chain, called);
  const newest = chain.epochs.get(chain.newest);
  const current = newest?.memberIds.includes(self.memberId) === true ? newest : undefined;
  assertSigned(members, current, called);
  const withKey = new Set(members.filter(({ hasKey }) => hasKey).map(({ memberId }) => memberId));
  if (accept !== 'look')
    await remember(memory, place.id, (now) => {
      const before = accept === 'believe' && now !== undefined ? withoutEpochs(now) : now;
      const { with: _, ...next } = withEpochs(before, place.id, chain.epochs);
      const pair = other ?? stillWith(now, chain, self);
      const whole = {
        ...next,
        ...(pair !== undefined && { with: pair }),
        ...(place.title !== '' && { title: place.title }),
      };
      return now?.with === pair && now?.title === whole.title && now?.epochs === whole.epochs ? now : whole;
    });
  if (accept === 'believe' && other !== undefined) await forgetPairs(memory, other, place.id);
  const [epochs, keys, unopened] = [new Map(chain.epochs), new Map(chain.keys), new Map(chain.unopened)];
  return {
    ...opening,
    room,
    called,
    names,
    current,
    closed: chain.closed,
    oldest: chain.oldest,
    members,
    holders: (current?.memberIds ?? []).filter((id) => place.type === 'direct' || withKey.has(id)),
    waiting: members.filter(({ hasKey }) => !hasKey),
    epochs,
    keys,
    unopened,
    async load(from) {
      const lowest = Math.min(...epochs.keys());
      const start = Math.max(from, chain.oldest ?? lowest);
      if (epochs.size === 0 || start >= lowest) return;
      const earlier = await readEarlier(asking, start, lowest);
      for (const [epoch, one] of earlier.epochs) epochs.set(epoch, one);
      for (const [epoch, key] of earlier.keys) keys.set(epoch, key);
      for (const [epoch, why] of earlier.unopened) unopened.set(epoch, why);
    },
  };
}

function namesOf({ place, self }: Opening, members: readonly Member[]): Map<string, string> {
  const names = new Map(members.map(({ memberId, username }) => [memberId, username]));
  if (self.name !== undefined) names.set(self.memberId, self.name);
  const other = place.participants?.find((id) => id !== self.memberId);
  if (other !== undefined) names.set(other, place.title);
  return names;
}

/** The other one of a conversation of two. @throws Problem network CONVERSATION_MEMBERS_FOREIGN unless they are exactly two, the member at this machine among them */
function otherIn({ place, self }: Opening): string | undefined {
  if (place.type !== 'direct') return undefined;
  const { participants = [], title } = place;
  const [other, ...more] = participants.filter((id) => id !== self.memberId);
  if (other !== undefined && more.length === 0 && participants.length === 2) return other;
  const message = `The node says that ${participants.length} members are in the conversation with ${title}, which is one of two.`;
  throw doubt('CONVERSATION_MEMBERS_FOREIGN', message);
}

/** With whom a conversation of two is one, and which of them that is, never changes. */
async function assertRemembered(
  opening: Opening,
  known: KnownConversation | undefined,
  other: string | undefined,
): Promise<void> {
  if (opening.accept !== undefined || other === undefined) return;
  const { title, id } = opening.place;
  if (known?.with !== undefined && known.with !== other) {
    const message = `The conversation ${id} is not with ${title} (${other}), as the node says, but with ${known.title ?? ''} (${known.with}).`;
    throw doubt('CONVERSATION_MEMBERS_FOREIGN', message);
  }
  const lost = await lostPair(opening, other, id);
  if (lost !== undefined) throw anotherPair(title, lost);
}

/** @throws Problem network CONVERSATION_MEMBERS_FOREIGN */
function anotherPair(title: string, { conversationId }: KnownConversation): Problem {
  const message = `The node shows another conversation with ${title} than the one that this machine knows, ${conversationId}. If one of you made a group of that one, or left it, accept this one with: conclave chat verify`;
  return doubt('CONVERSATION_MEMBERS_FOREIGN', message);
}

/**
 * The conversation of two with a member that this machine remembers, unless it is proven to be a group by now.
 *
 * @param except the id of one that it is not
 */
export async function lostPair(
  { caller, self, memory }: Pick<Opening, 'caller' | 'self' | 'memory'>,
  memberId: string,
  except?: string,
): Promise<KnownConversation | undefined> {
  for (const known of await listKnown(memory)) {
    const { conversationId: id, with: other, title = id } = known;
    if (other !== memberId || id === except) continue;
    await openConversation({ caller, place: { id, type: 'group', title }, self, memory }).catch(unlessUnreachable);
    if ((await readKnown(memory, id))?.with === memberId) return known;
  }
  return undefined;
}

function unlessUnreachable(error: unknown): void {
  if (!(error instanceof Problem) || error.code === 'NETWORK') throw error;
}

/** A group was made of a conversation of two only if a member signed a key for somebody else. */
function stillWith(
  known: KnownConversation | undefined,
  { epochs }: Pick<EpochChain, 'epochs'>,
  self: Self,
): string | undefined {
  const two = new Set([known?.with, self.memberId]);
  const isForOthers = [...epochs.values()].some(({ memberIds }) => memberIds.some((id) => !two.has(id)));
  return isForOthers ? undefined : known?.with;
}

/**
 * Remembers a key that was made here, so that no other one is believed to be it.
 * @param place what the node took it for
 */
export async function rememberMade(
  { self, memory }: Pick<Opening, 'self' | 'memory'>,
  place: NamedPlace,
  made: KnownEpoch,
): Promise<void> {
  const other = place.type === 'direct' ? place.participants?.find((id) => id !== self.memberId) : undefined;
  const epochs = new Map([[made.epoch, made]]);
  await remember(memory, place.id, (now) => {
    const { with: _, ...next } = withEpochs(now, place.id, epochs);
    const pair = other ?? stillWith(now, { epochs }, self);
    return { ...next, title: place.title, ...(pair !== undefined && { with: pair }) };
  });
}

/** Whether a key has to be made before anything is sent. That nobody left is not for the node to say alone: the list of members must fit. */
export function needsKey({ closed, current, holders, keys }: OpenConversation): boolean {
  return closed || current === undefined || holders.length < current.memberIds.length || !keys.has(current.epoch);
}

/** In a conversation of two, nobody else may ever have had a key. @throws Problem network CONVERSATION_MEMBERS_FOREIGN */
function assertPair({ place }: Opening, { epochs }: EpochChain, called: Called): void {
  if (place.type !== 'direct') return;
  for (const { epoch, memberIds } of epochs.values()) {
    const strangers = memberIds.filter((id) => place.participants?.includes(id) !== true);
    if (strangers.length === 0) continue;
    const message = `Key ${epoch} of the conversation with ${place.title} is not for the two of you alone, but for ${strangers.map(called).join(', ')} too.`;
    throw doubt('CONVERSATION_MEMBERS_FOREIGN', message);
  }
}

/** @throws Problem network MEMBER_NOT_SIGNED, which names those whom nobody has signed */
function assertSigned(members: readonly Member[], current: KnownEpoch | undefined, called: Called): void {
  if (current === undefined) return;
  const strangers = members.filter(({ memberId, hasKey }) => hasKey && !current.memberIds.includes(memberId));
  if (strangers.length === 0) return;
  const names = strangers.map(({ memberId }) => called(memberId)).join(', ');
  const message = `The node says that ${names} can read this conversation, and no member signed that.`;
  throw doubt('MEMBER_NOT_SIGNED', message);
}

/** @throws Problem network CONVERSATION_MODE_CHANGED: a mode never changes */
export function modeChanged(title: string): Problem {
  const message = `The node says that it can read ${title}, which only its members could read until now. A mode never changes.`;
  return doubt('CONVERSATION_MODE_CHANGED', message);
}
