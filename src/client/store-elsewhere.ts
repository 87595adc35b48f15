import { Problem } from '../problem.ts';
import type { SignIn } from './sign-ins.ts';

/** What the key of a sign-in at a store of this machine begins with. */
const localPrefix = 'local:';

/** Who signed in at a server is told of that server, and not how a store of one's own is made. */
export function storeElsewhere(missing: Problem, signIns: ReadonlyMap<string, SignIn>): Problem {
  const servers = [...signIns].filter(([place]) => !place.startsWith(localPrefix));
  if (servers.length === 0) return missing;
  const places = servers.map(([place, { username }]) => `${place} as ${username}`).join(', ');
  return new Problem(
    'missing',
    'STORE_ELSEWHERE',
    `There is no store on this machine. You are signed in at ${places}.`,
    { cause: missing },
  );
}
