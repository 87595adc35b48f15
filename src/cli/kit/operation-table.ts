import { allOperations } from '../../contract/all.ts';
import type { Auth } from '../../contract/operation.ts';
import type { Screen } from './screen.ts';
import { table } from './table.ts';

/** All operations as data, and a function that draws them as a table. */
export function operationTable(): [data: unknown, draw: (screen: Screen) => string] {
  const operations = allOperations();
  const data = operations.map(({ id, method, path, auth, summary }) => ({ id, method, path, auth, summary }));
  const draw = (screen: Screen) =>
    table(screen, operations, [
      { title: 'ID', of: ({ id }) => id, whole: true },
      { title: 'FOR', of: ({ auth }) => audience(auth), whole: true },
      { title: 'WHAT IT DOES', of: ({ summary }) => summary },
    ]);
  return [data, draw];
}

function audience(auth: Auth): string {
  if (typeof auth === 'string') return { none: 'anyone', optional: 'anyone', member: 'members' }[auth];
  return 'any' in auth ? 'admins' : 'operator';
}
