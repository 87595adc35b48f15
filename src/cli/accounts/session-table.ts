import type { Session } from '../../contract/accounts/sessions.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export function sessionTable(screen: Screen, sessions: readonly Session[]): string {
  return table(screen, sessions, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'LAST USED', of: ({ lastUsedAt }) => moment(screen, lastUsedAt), whole: true },
    { title: 'ENDS', of: ({ expiresAt }) => moment(screen, expiresAt), whole: true },
    { title: 'KEY', of: ({ keyUnlocked }) => (keyUnlocked ? 'open' : 'locked') },
    { title: '', of: ({ current }) => (current ? 'this' : '') },
    { title: 'PROGRAM', of: ({ userAgent }) => userAgent },
  ]);
}

interface Page {
  readonly sessions: readonly Session[];
  readonly cursor?: string | undefined;
}

/** Every page of a list of sessions. */
export async function allSessions(
  read: (page: { limit: number; cursor?: string }) => Promise<Page>,
): Promise<Session[]> {
  const sessions: Session[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? { limit: 100 } : { limit: 100, cursor });
    sessions.push(...page.sessions);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return sessions;
}
