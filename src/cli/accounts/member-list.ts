import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { members, type Member } from '../../contract/members.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

/** Members page after page, until there are enough. */
export async function listMembers(
  client: Client,
  filter: Omit<RawInputOf<typeof members.list>, 'limit' | 'cursor'>,
  most: number,
): Promise<{ members: Member[]; hasMore: boolean }> {
  const { items, hasMore } = await collectPages(client, members.list, filter, 'members', { most });
  return { members: items, hasMore };
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
