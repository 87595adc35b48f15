import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { JoinToken } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export function tokenTable(screen: Screen, tokens: readonly JoinToken[]): string {
  return table(screen, tokens, [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'STATUS', of: ({ status }) => status, whole: true },
    { title: 'USED', of: ({ used, uses }) => `${used} of ${uses}`, whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => moment(screen, expiresAt), whole: true },
    { title: 'ADMITTED UNTIL', of: ({ admittedUntil }) => moment(screen, admittedUntil), whole: true },
    { title: 'BY', of: ({ issuedBy }) => issuedBy, spare: true },
  ]);
}

/** @throws Problem invalid SECRET_AS_ARGUMENT, missing POOL_TOKEN_NOT_FOUND, conflict AMBIGUOUS */
export async function findToken(client: Client, prefix: string): Promise<string> {
  if (prefix.startsWith('conclave-join-'))
    throw new Problem(
      'invalid',
      'SECRET_AS_ARGUMENT',
      'That is the token itself, and others on this machine can see it now. Give its id: conclave admin nodes token list',
    );
  const { joinTokens } = await perform(client, pool.listTokens, {});
  const found = joinTokens.filter(({ id }) => id.startsWith(prefix.toLowerCase()));
  const [one, ...others] = found;
  if (one === undefined)
    throw new Problem('missing', 'POOL_TOKEN_NOT_FOUND', `This node has no join token whose id begins with ${prefix}.`);
  if (others.length > 0)
    throw new Problem('conflict', 'AMBIGUOUS', `${prefix} matches more than one join token:`, {
      fields: found.map(({ id, status }) => ({ path: id, message: status })),
    });
  return one.id;
}
