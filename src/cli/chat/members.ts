import { perform, type Caller } from '../../client/perform.ts';
import { social } from '../../contract/social.ts';
import { Problem } from '../../base/problem.ts';

/** Profiles that are asked for at once. */
const TOGETHER = 8;

const idOfMember = /^[0-9a-f]{24}$/i;

interface Person {
  readonly id: string;
  readonly username: string;
}

/** Whether a word is the id of a member. */
export function isMemberId(text: string): boolean {
  return idOfMember.test(text);
}

async function inTurns<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  while (done.length < all.length)
    done.push(...(await Promise.all(all.slice(done.length, done.length + TOGETHER).map(work))));
  return done;
}

async function personIfKnown(caller: Caller, name: string): Promise<Person | undefined> {
  try {
    const { _id: id, username } = await perform(caller, social.showProfile, { id: name });
    return { id, username };
  } catch (error) {
    if (error instanceof Problem && ['MEMBER_NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) return undefined;
    throw error;
  }
}

/** The id of a member, from it or a username. @returns undefined for a username that the caller cannot see */
export async function memberIfKnown(caller: Caller, text: string): Promise<string | undefined> {
  return isMemberId(text) ? text.toLowerCase() : (await personIfKnown(caller, text))?.id;
}

/** The id of a member, from it or a username. @throws Problem missing MEMBER_NOT_FOUND */
export async function memberNamed(caller: Caller, text: string): Promise<string> {
  const id = await memberIfKnown(caller, text);
  if (id === undefined) throw unknownMember(text);
  return id;
}

/** The same for several. @throws Problem missing MEMBER_NOT_FOUND for the first one that is none */
export async function membersNamed(caller: Caller, texts: readonly string[]): Promise<string[]> {
  return await inTurns(texts, async (text) => await memberNamed(caller, text));
}

/** What members are called, by their ids; without those whom the caller cannot see. */
export async function usernamesOf(caller: Caller, ids: readonly string[]): Promise<Map<string, string>> {
  const people = await inTurns(ids, async (id) => await personIfKnown(caller, id));
  return new Map(people.flatMap((person) => (person === undefined ? [] : [[person.id, person.username] as const])));
}

export function unknownMember(text: string): Problem {
  const message = `There is no member ${JSON.stringify(text)} on this node whom you can reach. To members of other nodes, write with: conclave mail send`;
  return new Problem('missing', 'MEMBER_NOT_FOUND', message);
}
