import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { members, type Member } from '../../contract/members.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

const perPage = 100;

/** Members page after page, until there are enough. */
export async function listMembers(
  client: Client,
  filter: Omit<RawInputOf<typeof members.list>, 'limit' | 'cursor'>,
  most: number,
): Promise<{ members: Member[]; hasMore: boolean }> {
  const found: Member[] = [];
  let cursor: string | undefined;
  for (;;) {
    const limit = Math.min(perPage, most - found.length);
    const reply = await perform(client, members.list, { ...filter, limit, ...(cursor !== undefined && { cursor }) });
    found.push(...reply.members);
    cursor = reply.cursor;
    if (!reply.hasMore || cursor === undefined) return { members: found, hasMore: false };
    if (found.length >= most) return { members: found, hasMore: true };
  }
}

export function memberTable(screen: Screen, list: readonly Member[]): string {
  return table(screen, list, [
    { title: 'USERNAME', of: ({ username }) => username, main: true },
    { title: 'E-MAIL', of: ({ email }) => email },
    { title: 'TYPE', of: ({ type }) => type, whole: true },
    { title: 'STATUS', of: ({ status }) => status, whole: true },
    { title: 'LAST SIGN-IN', of: ({ lastLogin }) => moment(screen, lastLogin), whole: true },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}
