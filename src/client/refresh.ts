import { perform, type Caller } from './perform.ts';
import { readSignIn, replaceSignIn, withSignInLock, type SignIn } from './sign-ins.ts';
import { claimsOf, signInOf } from './token-claims.ts';

export interface RefreshingCaller extends Caller {
  readonly folder: string;
  readonly server: string;
}

/**
 * The token of a sign-in, exchanged for a new one where over half of its life has passed, so that who comes back
 * regularly stays signed in. Where that fails, the old one is good for a while yet.
 */
export async function refreshed(caller: RefreshingCaller, signIn: SignIn): Promise<string> {
  if (!isDue(signIn.token)) return signIn.token;
  const { folder, server } = caller;
  try {
    // Two commands that refresh at once would leave the loser's token in the file.
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
