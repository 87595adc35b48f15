import type { Actor, Caller } from '../../service/actor.ts';
import { operatorId } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { authenticateBot, looksLikeBotToken } from './bot-tokens.ts';
import type { CheckedToken, CheckedTokens } from './checked-tokens.ts';
import { noteUse } from './last-use.ts';
import { findSession, jtiHash } from './live-session.ts';
import { isOperatorToken, jtiOf, looksLikeOperatorToken, readSessionToken } from './tokens.ts';

export interface AuthenticateOptions {
  /** whether the call came in process or over the control socket; operator tokens are valid only there */
  readonly local: boolean;
  /** a cache that the server keeps; without it every signature is checked again */
  readonly checked?: CheckedTokens;
}

/**
 * Finds the actor of a token. Name and type come from the member's row, so a demotion applies from the next request on.
 * @throws Problem unauthenticated UNAUTHORIZED, the same for every reason
 */
export async function authenticate(
  ctx: Context,
  token: string,
  caller: Caller,
  options: AuthenticateOptions,
): Promise<Actor> {
  const now = ctx.clock.now();
  if (options.local && looksLikeOperatorToken(token)) return await operator(ctx, token, caller, now);
  if (looksLikeBotToken(token)) return await authenticateBot(ctx, token, caller);
  const checked = options.checked?.find(token) ?? (await checkToken(ctx, token, now, options.checked));
  if (checked.exp * 1000 <= now) throw unauthorized();
  const session = await findSession(ctx.db, checked.jtiHash, now);
  if (session === undefined || session.member_id !== checked.memberId || session.status !== 'active')
    throw unauthorized();
  noteUse(ctx, 'session', session);
  return {
    kind: 'member',
    memberId: session.member_id,
    username: session.username,
    type: session.type,
    sessionId: session.id,
    jtiHash: checked.jtiHash,
    jti: () => jtiOf(token),
    address: caller.address,
    userAgent: caller.userAgent,
  };
}

async function checkToken(ctx: Context, token: string, now: number, known?: CheckedTokens): Promise<CheckedToken> {
  const claims = await readSessionToken(ctx.keys.token, token, now);
  if (claims === undefined) throw unauthorized();
  const { memberId, jti, exp } = claims;
  const checked = { memberId, jtiHash: jtiHash(jti), exp };
  known?.add(token, checked);
  return checked;
}

async function operator(ctx: Context, token: string, caller: Caller, now: number): Promise<Actor> {
  if (!(await isOperatorToken(ctx.keys.operatorToken, token, now))) throw unauthorized();
  return {
    kind: 'member',
    memberId: operatorId,
    username: 'operator',
    type: 'System',
    sessionId: '',
    jtiHash: '',
    jti: () => new Uint8Array(),
    address: caller.address,
    userAgent: caller.userAgent,
  };
}

export function unauthorized(): Problem {
  return new Problem('unauthenticated', 'UNAUTHORIZED', 'The token is invalid or expired, or its session has ended.');
}
