import { perform, type Caller } from './perform.ts';
import { readSignIn, replaceSignIn, withSignInLock, type SignIn } from './sign-ins.ts';
import { claimsOf, signInOf } from './token-claims.ts';

export interface RefreshingCaller extends Caller {
  readonly folder: string;
  readonly server: string;
}

/**
 * Returns the token of a sign-in. If more than half of its life has passed, it is exchanged for a new one, so that a regular user stays
 * signed in. If that fails, the old token remains valid for a while.
 */
export async function refreshed(caller: RefreshingCaller, signIn: SignIn): Promise<string> {
  if (!isDue(signIn.token)) return signIn.token;
  const { folder, server } = caller;
  try {
    // The lock prevents two refreshes at once, after which the file could hold the invalid token of the two.
    return await withSignInLock(folder, async () => {
      const current = await readSignIn(folder, server);
      if (current === undefined || current.token !== signIn.token) return current?.token ?? signIn.token;
      const once: Caller = {
        transport: caller.transport,
        place: caller.place,
        userAgent: caller.userAgent,
        tokenFor: async () => signIn.token,
      };
      const { accounts } = await import('../contract/accounts.ts');
      const { token } = await perform(once, accounts.refreshToken, {});
      await replaceSignIn(folder, server, signInOf(token));
      return token;
    });
  } catch {
    return signIn.token;
  }
}

function isDue(token: string): boolean {
  const claims = claimsOf(token);
  if (claims === undefined) return false;
  const now = Date.now() / 1000;
  return now > claims.iat + (claims.exp - claims.iat) / 2 && now < claims.exp;
}
