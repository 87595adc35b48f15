import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { quorumMembers, type QuorumMember } from '../../contract/quorum/members.ts';
import { Problem } from '../../base/problem.ts';
import { ambiguous } from '../kit/pick.ts';

/** The active members of the quorum, by whom commands name ids. */
export interface People {
  readonly members: readonly QuorumMember[];
  /** the name of a member; the id of somebody who is none any more */
  readonly nameOf: (memberId: string) => string;
  /**
   * Finds a member by id, name or e-mail address, or by the first eight or more digits of the id.
   * @throws Problem missing MEMBER_NOT_FOUND, conflict AMBIGUOUS
   */
  find(text: string): QuorumMember;
}

/** @param others ids of whom names are wanted as well, if they were members once; a proposal may have any text in place of an id */
export async function peopleOf(client: Client, others: readonly string[] = []): Promise<People> {
  const { members } = await perform(client, quorumMembers.listMembers, {});
  const names = new Map(members.map(({ id, metadata }) => [id, metadata.name]));
  const unnamed = new Set(others.filter((id) => wholeId.test(id) && !names.has(id)));
  for (const memberId of unnamed) {
    const name = await formerNameOf(client, memberId);
    if (name !== undefined) names.set(memberId, name);
  }
  return {
    members,
    nameOf: (memberId) => names.get(memberId) ?? memberId,
    find(text) {
      const found = matching(members, text);
      const [one] = found;
      if (one === undefined)
        throw new Problem(
          'missing',
          'MEMBER_NOT_FOUND',
          `The quorum has no active member ${JSON.stringify(text)}. To list them, run: conclave quorum members list`,
        );
      if (found.length > 1)
        throw ambiguous(
          text,
          found.map(({ id, metadata }) => ({ id, label: `${metadata.name} ${metadata.email ?? ''}`.trim() })),
        );
      return one;
    },
  };
}

/** @returns undefined if nobody with this id was ever a member */
async function formerNameOf(client: Client, memberId: string): Promise<string | undefined> {
  try {
    return (await perform(client, quorumMembers.showMember, { memberId })).member.metadata.name;
  } catch (error) {
    if (error instanceof Problem && error.code === 'MEMBER_NOT_FOUND') return undefined;
    throw error;
  }
}

const wholeId = /^[0-9a-f]{24}$/;
const partOfId = /^[0-9a-f]{8,24}$/i;

function matching(members: readonly QuorumMember[], text: string): QuorumMember[] {
  const wanted = text.normalize('NFC').toLowerCase();
  const whole = members.filter(({ id }) => id === wanted);
  if (whole.length > 0) return whole;
  const named = members.filter(
    ({ metadata: { name, email } }) =>
      name.normalize('NFC').toLowerCase() === wanted || email?.normalize('NFC').toLowerCase() === wanted,
  );
  const begun = partOfId.test(text) ? members.filter(({ id }) => id.startsWith(wanted)) : [];
  return [...new Set([...named, ...begun])];
}

/** Names in one line: `ada, bob and cyd`, in their order in the alphabet. */
export function listed(unsorted: readonly string[]): string {
  const names = unsorted.toSorted((one, other) => one.localeCompare(other, 'en'));
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
