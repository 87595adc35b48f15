import type { Client } from '../../client/client.ts';
import { Problem } from '../../problem.ts';
import { findMember } from '../find-member.ts';

const memberId = /^[0-9a-f]{24}$/i;

/**
 * The ids of members that are named by id, or, where the caller may look members up, as everywhere by username or e-mail address.
 *
 * @throws Problem forbidden MEMBER_BY_ID for a name that the caller may not look up
 */
export async function memberIdsOf(client: Client, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(memberId.test(name) ? name.toLowerCase() : await lookedUp(client, name));
  return [...new Set(ids)];
}

async function lookedUp(client: Client, name: string): Promise<string> {
  try {
    return (await findMember(client, name)).id;
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'forbidden')) throw error;
    const message = `Only administrators look members up by name: name ${JSON.stringify(name)} by the id that conclave whoami shows them.`;
    throw new Problem('forbidden', 'MEMBER_BY_ID', message, { cause: error });
  }
}
