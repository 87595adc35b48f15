import type { AppPassword } from '../../contract/accounts/app-passwords.ts';
import { ambiguous, pick } from '../kit/pick.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export function appPasswordTable(screen: Screen, appPasswords: readonly AppPassword[]): string {
  const when = (time: string | null) => (time === null ? 'never' : moment(screen, time));
  return table(screen, appPasswords, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'SCOPES', of: ({ scopes }) => scopes.join(', ') },
    { title: 'BEGINS', of: ({ begins }) => begins },
    { title: 'LAST USED', of: ({ lastUsedAt }) => when(lastUsedAt), whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => when(expiresAt), whole: true },
  ]);
}

/**
 * The app password with this name, or whose id begins with it.
 *
 * @throws Problem conflict AMBIGUOUS, missing NOT_FOUND
 */
export function findAppPassword(named: string, appPasswords: readonly AppPassword[]): AppPassword {
  const candidates = appPasswords.map((one) => ({ ...one, label: `${one.name}, begins with ${one.begins}` }));
  const matching = candidates.filter(({ name }) => name === named.normalize('NFC'));
  if (matching.length > 1) throw ambiguous(named, matching);
  return matching[0] ?? pick('app password', named, candidates);
}
