import { Problem } from '../base/problem.ts';
import type { SignIn } from './sign-ins.ts';

export interface TokenClaims {
  readonly memberId: string;
  readonly username: string;
  /** seconds since 1970 */
  readonly iat: number;
  readonly exp: number;
}

/** The claims in a session token, for display and for a refresh in time. They are not verified; only the server can do that. */
export function claimsOf(token: string): TokenClaims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Partial<TokenClaims>;
    const { memberId, username, iat, exp } = claims;
    if (typeof memberId !== 'string' || typeof username !== 'string') return undefined;
    return typeof iat === 'number' && typeof exp === 'number' ? { memberId, username, iat, exp } : undefined;
  } catch {
    return undefined;
  }
}

/** What `CONCLAVE_TOKEN` has; undefined if nothing. */
export function givenToken(env: NodeJS.ProcessEnv): string | undefined {
  return env['CONCLAVE_TOKEN']?.trim() || undefined;
}

/**
 * Who signs in with what somebody gave in `CONCLAVE_TOKEN`.
 * @throws Problem unauthenticated TOKEN_INVALID; the message does not repeat the token
 */
export function givenSignIn(token: string): SignIn {
  return signInWith(token, new Problem('unauthenticated', 'TOKEN_INVALID', 'CONCLAVE_TOKEN is no token of a session.'));
}

/** What a server answered. @throws Problem network BAD_REPLY */
export function signInOf(token: string): SignIn {
  return signInWith(token, new Problem('network', 'BAD_REPLY', 'The server answered with something that is no token.'));
}

function signInWith(token: string, problem: Problem): SignIn {
  const claims = claimsOf(token);
  // The token is copied into a header without encoding.
  if (claims === undefined || !/^[\w.-]+$/.test(token)) throw problem;
  return { memberId: claims.memberId, username: claims.username, token };
}
