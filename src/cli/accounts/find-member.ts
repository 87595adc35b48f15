import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { members, type Member } from '../../contract/accounts/members.ts';
import { Problem } from '../../base/problem.ts';
import { ambiguous } from '../kit/pick.ts';

/** The most members that are compared, for names that are part of very many others. */
const mostSimilar = 5_000;
const wholeId = 24;

/**
 * Finds the member by a username, an e-mail address or the beginning of an id.
 *
 * @throws Problem conflict AMBIGUOUS that lists the candidates, missing MEMBER_NOT_FOUND
 */
export async function findMember(client: Client, name: string): Promise<Member> {
  const wanted = name.toLowerCase();
  const { items: similar } = await collectPages(client, members.list, { query: name }, 'members', {
    most: mostSimilar,
  });
  const whole = similar.find(({ id }) => id === wanted && wanted.length === wholeId);
  if (whole !== undefined) return whole;
  // A name may also be the beginning of another member's id. Such a name alone must not decide who is suspended.
  const found = similar.filter(
    ({ id, username, email }) =>
      id.startsWith(wanted) || username.toLowerCase() === wanted || email.toLowerCase() === wanted,
  );
  const [one] = found;
  if (one === undefined) throw unknown(name, similar);
  if (found.length > 1) throw ambiguous(name, found.map(candidateOf));
  return one;
}

/**
 * The same, for what gives something to the member: anybody can register with any e-mail address, so only a verified one is a name.
 * @throws Problem also conflict EMAIL_UNVERIFIED
 */
export async function findProvenMember(client: Client, name: string): Promise<Member> {
  const member = await findMember(client, name);
  if (!name.includes('@') || member.emailVerified) return member;
  throw new Problem(
    'conflict',
    'EMAIL_UNVERIFIED',
    `Nobody has verified that ${member.email} belongs to ${member.username} (${member.id}). Name the member by the username or the id, or confirm the address first: conclave admin members confirm-email ${member.username}`,
  );
}

function unknown(name: string, similar: readonly Member[]): Problem {
  return new Problem(
    'missing',
    'MEMBER_NOT_FOUND',
    `There is no member ${JSON.stringify(name)}.${similar.length > 0 ? ' Similar ones:' : ''}`,
    {
      fields: similar.slice(0, 10).map((member) => ({ path: member.id, message: candidateOf(member).label })),
    },
  );
}

function candidateOf({ id, username, email }: Member): { id: string; label: string } {
  return { id, label: `${username}, ${email}` };
}
