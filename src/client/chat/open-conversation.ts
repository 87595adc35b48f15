import { Problem } from '../../base/problem.ts';
import type { Room } from '../../crypto/room-keys.ts';
import type { Caller } from '../perform.ts';
import { readMembers, type Member, type Place } from './conversation-reads.ts';
import { calledBy, doubt, type Called } from './doubts.ts';
import { readChain, readEarlier, withEpochs, type EpochChain, type Self } from './epoch-chain.ts';
import { readKnown, remember, withoutEpochs, type Memory } from './known-conversations.ts';
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
  /** believes what is there now, whatever this machine remembers */
  readonly accept?: boolean;
}

/** A conversation that only its members can read, with everything proven that signatures prove. */
export interface OpenConversation extends Opening {
  readonly room: Room;
  readonly called: Called;
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
  /** Opens earlier epochs too, from one on. @throws Problem network EPOCH_REPLACED, CONVERSATION_KEY_FOREIGN */
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
  const { caller, place, self, memory, accept = false } = opening;
  const room = roomOfConversation(place.id);
  const known = accept ? undefined : await readKnown(memory, place.id);
  // In this order: whoever is listed with a key is in the epochs that are read afterwards.
  const members = await readMembers(caller, place);
  const called = calledBy(namesOf(opening, members));
  const asking = { caller, place, room, self, called, known };
  const chain = await readChain(asking);
  if (chain.mode !== 'client') throw modeChanged(place.title);
  assertPair(opening, chain, called);
  const newest = chain.epochs.get(chain.newest);
  const current = newest?.memberIds.includes(self.memberId) === true ? newest : undefined;
  assertSigned(members, current, called);
  const withKey = new Set(members.filter(({ hasKey }) => hasKey).map(({ memberId }) => memberId));
  const other = otherIn(opening);
  await remember(memory, place.id, (now) => {
    const before = accept && now !== undefined ? withoutEpochs(now) : now;
    const { with: _, ...next } = withEpochs(before, place.id, chain.epochs);
    const whole = other === undefined ? next : { ...next, with: other };
    return now?.with === other && now?.epochs === whole.epochs ? now : whole;
  });
  const [epochs, keys] = [new Map(chain.epochs), new Map(chain.keys)];
  return {
    ...opening,
    room,
    called,
    current,
    closed: chain.closed,
    oldest: chain.oldest,
    members,
    holders: (current?.memberIds ?? []).filter((id) => place.type === 'direct' || withKey.has(id)),
    waiting: members.filter(({ hasKey }) => !hasKey),
    epochs,
    keys,
    async load(from) {
      const lowest = Math.min(...epochs.keys());
      const start = Math.max(from, chain.oldest ?? lowest);
      if (epochs.size === 0 || start >= lowest) return;
      const earlier = await readEarlier(asking, start, lowest);
      for (const [epoch, one] of earlier.epochs) epochs.set(epoch, one);
      for (const [epoch, key] of earlier.keys) keys.set(epoch, key);
    },
  };
}

function namesOf({ place, self }: Opening, members: readonly Member[]): Map<string, string> {
  const names = new Map(members.map(({ memberId, username }) => [memberId, username]));
  const other = place.participants?.find((id) => id !== self.memberId);
  if (other !== undefined) names.set(other, place.title);
  return names;
}

function otherIn({ place, self }: Opening): string | undefined {
  return place.type === 'direct' ? place.participants?.find((id) => id !== self.memberId) : undefined;
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
