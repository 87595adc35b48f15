import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { Problem } from '../../../base/problem.ts';
import type { Screen } from '../../kit/screen.ts';
import { details, table, type Detail } from '../../kit/table.ts';
import { conversationNamed } from '../find-conversation.ts';
import { memberIfKnown } from '../members.ts';
import { meansMember } from '../rooms/find-room.ts';
import { isDoubt } from './changing.ts';
import { acceptName, assertSameName, doubtOf, namedBy } from './checked-conversation.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

interface Person {
  readonly memberId: string;
  /** empty if the node does not know them any more */
  readonly username: string;
}

/** Who has the newest key, by signatures. */
interface Holders {
  /** null if the member at this machine has no key, or somebody's public key cannot be had */
  readonly safetyNumber: string | null;
  readonly epoch: number | null;
  readonly members: readonly Person[];
}

/** What signatures say of a conversation, for people who compare it. */
export interface Verification extends Holders {
  readonly conversationId: string;
  readonly title: string;
  /** if not, the holders are those that this machine remembers, and `shown` what the node shows now */
  readonly fits: boolean;
  /** whether the next message makes a new key; null if something does not fit */
  readonly closed: boolean | null;
  readonly waiting: readonly Person[];
  /** null if all fits, or what the node shows is not signed either */
  readonly shown: (Holders & { readonly added: readonly Person[]; readonly gone: readonly Person[] }) | null;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

interface Verified {
  readonly verification: Verification;
  readonly problem: Problem | undefined;
}

/**
 * Proves a conversation. What this machine remembers is changed by `accept` alone.
 * @param text how somebody named it
 * @param accept whether this machine is to believe what is there now, whatever it remembers
 * @throws Problem invalid USAGE for one that the node can read; others than those that say what does not fit
 */
export async function verifyConversation(side: OwnSide, text: string, accept: boolean): Promise<Verified> {
  const place = await placeNamed(side, text, accept);
  const named = await namedBy(side, place);
  const isFreed = accept && (await acceptName(side, text, named));
  const otherName = await doubtOf(async () => await assertSameName(side, text, named));
  if (otherName !== undefined) return await doubted(side, place, otherName);
  const otherMode = await doubtOf(async () => await side.isSealed(place));
  if (otherMode !== undefined) {
    if (!accept || named.memberId === undefined || !(await acceptMode(side, place, named.memberId)))
      return await doubted(side, place, otherMode);
    side.warn(
      `The node can read what is said in the conversation with ${place.title}. This machine believes that now.`,
    );
    return readable(place);
  }
  if (!(await side.isSealed(place))) {
    if (!isFreed) throw notSealed(place.title);
    side.warn(`The node can read what is said in ${place.title}. This machine believes that now.`);
    return readable(place);
  }
  try {
    return await proven(place, await side.open(place, accept ? 'believe' : 'again'));
  } catch (error) {
    if (!isDoubt(error)) throw error;
    return await doubted(side, place, error);
  }
}

/** The conversation to prove. The name of a member with whom there is none is theirs all the same, if that is accepted. */
async function placeNamed(side: OwnSide, text: string, accept: boolean): Promise<Conversation> {
  try {
    return await conversationNamed(side.client, text);
  } catch (error) {
    if (!accept || !(error instanceof Problem && error.code === 'CONVERSATION_NOT_FOUND')) throw error;
    const memberId = meansMember(text) ? await memberIfKnown(side.client, text) : undefined;
    if (memberId === undefined) throw error;
    if (await acceptName(side, text, { id: undefined, type: 'direct', title: text, memberId }))
      side.warn(`${text} is the member ${memberId}. This machine believes that now.`);
    throw error;
  }
}

/** What there is to say of a conversation that the node can read, after that was accepted. */
function readable({ id: conversationId, title }: SealedPlace): Verified {
  const nothing = { safetyNumber: null, epoch: null, closed: null, members: [], waiting: [], shown: null };
  return { verification: { conversationId, title, fits: true, ...nothing, problems: [] }, problem: undefined };
}

/** Gives up the conversation of two that only the two could read. @returns false if it is this one, whose mode never changes */
async function acceptMode(side: OwnSide, { id }: SealedPlace, memberId: string): Promise<boolean> {
  const { forgetPairs, readKnown } = await import('../../../client/chat/known-conversations.ts');
  const memory = await side.memory();
  if ((await readKnown(memory, id)) !== undefined) return false;
  await forgetPairs(memory, memberId, id);
  return true;
}

async function proven(place: SealedPlace, open: OpenConversation): Promise<Verified> {
  const { id: conversationId, title } = place;
  const { closed } = open;
  const waiting = inOrder(open.waiting.map(({ memberId }) => personIn(open, memberId)));
  const facts = { conversationId, title, closed, waiting, shown: null, ...(await holdersOf(open)) };
  const why = open.current && open.unopened.get(open.current.epoch);
  if (why === undefined) return { verification: { ...facts, fits: true, problems: [] }, problem: undefined };
  const message = `${why} Your next message makes another one, for the same members.`;
  const problem = new Problem('network', 'CONVERSATION_KEY_FOREIGN', message);
  return { verification: { ...facts, fits: false, problems: [{ code: problem.code, message }] }, problem };
}

/** What this machine remembers beside what the node shows now, if that is signed at all. */
async function doubted(side: OwnSide, place: SealedPlace, problem: Problem): Promise<Verified> {
  const { id: conversationId, title } = place;
  const { readKnown } = await import('../../../client/chat/known-conversations.ts');
  const known = await readKnown(await side.memory(), conversationId);
  const seen = place.mode === 'client' ? await side.open(place, 'look').catch(orNothing) : undefined;
  const now = seen === undefined ? undefined : await holdersOf(seen);
  const person = async (memberId: string): Promise<Person> => {
    if (seen?.names.has(memberId) === true) return personIn(seen, memberId);
    return { memberId, username: (await memberKey(side, memberId))?.username ?? '' };
  };
  const members = inOrder(await Promise.all((known?.memberIds ?? []).map(person)));
  const without = (people: readonly Person[], others: readonly Person[]) =>
    people.filter(({ memberId }) => !others.some((one) => one.memberId === memberId));
  const facts = {
    conversationId,
    title,
    fits: false,
    safetyNumber: await numberRemembered(side, conversationId, known?.memberIds ?? []),
    epoch: known?.epochs.at(-1)?.[0] ?? null,
    closed: null,
    members,
    waiting: [],
    shown:
      now === undefined ? null : { ...now, added: without(now.members, members), gone: without(members, now.members) },
    problems: [{ code: problem.code, message: problem.message }],
  };
  return { verification: facts, problem };
}

function orNothing(error: unknown): undefined {
  if (!isDoubt(error)) throw error;
  return undefined;
}

async function numberRemembered(side: OwnSide, id: string, memberIds: readonly string[]): Promise<string | null> {
  if (memberIds.length === 0) return null;
  const { safetyNumberOf } = await import('../../../client/chat/next-epoch.ts');
  const keys = await Promise.all(memberIds.map(async (memberId) => (await memberKey(side, memberId))?.publicKey));
  const found = keys.flatMap((key) => key ?? []);
  return found.length === keys.length ? safetyNumberOf(id, found) : null;
}

/** @returns undefined for somebody whom the caller cannot reach any more */
async function memberKey({ client }: OwnSide, memberId: string) {
  const { readMember } = await import('../../../client/chat/conversation-reads.ts');
  return await readMember(client, memberId).catch((error: unknown) => {
    if (error instanceof Problem && (error.kind === 'missing' || isDoubt(error))) return undefined;
    throw error;
  });
}

async function holdersOf(open: OpenConversation): Promise<Holders> {
  const { safetyNumberFor } = await import('../../../client/chat/next-epoch.ts');
  return {
    safetyNumber: open.current === undefined ? null : await safetyNumberFor(open),
    epoch: open.current?.epoch ?? null,
    members: inOrder(open.holders.map((memberId) => personIn(open, memberId))),
  };
}

function personIn({ names }: OpenConversation, memberId: string): Person {
  return { memberId, username: names.get(memberId) ?? '' };
}

/** By name, as people look for each other. */
function inOrder(people: readonly Person[]): Person[] {
  const nameOf = ({ username, memberId }: Person) => `${username || memberId} ${memberId}`;
  return people.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function notSealed(title: string): Problem {
  const message = `The node can read ${title}, so there is nothing to verify. A mode never changes.`;
  return new Problem('invalid', 'USAGE', message);
}

const HALF = 35;

function numberPairs(title: string, number: string | null): Detail[] {
  return number === null
    ? []
    : [
        [title, number.slice(0, HALF)],
        ['', number.slice(HALF + 1)],
      ];
}

/** What the node shows now beside what this machine remembers. */
function nowPairs({ epoch, added, gone }: NonNullable<Verification['shown']>): Detail[] {
  const named = (people: readonly Person[]) => people.map(({ username, memberId }) => `${username} ${memberId}`.trim());
  return [
    ...(epoch === null ? [] : [['Key now', String(epoch)] as const]),
    ...(added.length === 0 ? [] : [['Added', named(added).join(', ')] as const]),
    ...(gone.length === 0 ? [] : [['Gone', named(gone).join(', ')] as const]),
  ];
}

/** @param ownId of the member at this machine */
export function verificationText(screen: Screen, shown: Verification, ownId: string): string {
  const { epoch, closed, members, waiting, shown: now } = shown;
  const pairs: Detail[] = [
    ['Conversation', shown.title],
    ['Fits', shown.fits ? 'yes' : 'no'],
    ...numberPairs('Safety number', shown.safetyNumber),
    ...(epoch === null ? [] : [['Key', `${epoch}${closed ? ', the next message makes another one' : ''}`] as const]),
    ...(now === null ? [] : [...numberPairs('Number now', now.safetyNumber), ...nowPairs(now)]),
  ];
  const rows = [
    ...members.map((person) => ({ person, key: 'has it' })),
    ...waiting.map((person) => ({ person, key: 'waits' })),
  ];
  const people = table(screen, rows, [
    { title: 'MEMBER', of: ({ person }) => person.username || person.memberId, main: true },
    { title: 'KEY', of: ({ key, person }) => (person.memberId === ownId ? `${key} (you)` : key), whole: true },
    { title: 'ID', of: ({ person }) => person.memberId, whole: true },
  ]);
  return [details(screen, pairs), ...(rows.length === 0 ? [] : [people])].join('\n');
}
