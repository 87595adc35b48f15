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
