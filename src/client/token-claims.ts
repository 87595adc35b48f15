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

/** @throws Problem invalid TOKEN_INVALID; the message does not repeat the token */
export function signInOf(token: string): SignIn {
  const claims = claimsOf(token);
  // The token is copied into a header without encoding.
  if (claims === undefined || !/^[\w.-]+$/.test(token)) {
    throw new Problem('invalid', 'TOKEN_INVALID', 'The token is not a session token of a Conclave server.');
  }
  return { memberId: claims.memberId, username: claims.username, token };
}
