import { Problem } from '../problem.ts';
import type { SignIn } from './sign-ins.ts';

export interface TokenClaims {
  readonly memberId: string;
  readonly username: string;
  /** seconds since 1970 */
  readonly iat: number;
  readonly exp: number;
}

/** What a session token says of itself, for showing and for refreshing in time. Only its server can check it. */
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

/** @throws Problem invalid TOKEN_INVALID; the message doesn't repeat the token */
export function signInOf(token: string): SignIn {
  const claims = claimsOf(token);
  // It goes into a header as it is.
  if (claims === undefined || !/^[\w.-]+$/.test(token)) {
    throw new Problem('invalid', 'TOKEN_INVALID', 'The token is not a session token of a Conclave server.');
  }
  return { memberId: claims.memberId, username: claims.username, token };
}
