import type { Caller } from '../../client/perform.ts';
import { claimsOf } from '../../client/token-claims.ts';
import { accounts } from '../../contract/accounts.ts';
import { myName } from '../social/my-name.ts';

/** The member whose token it is; the node checks the token. */
export async function ownId(caller: Caller): Promise<string> {
  return (await ownClaims(caller))?.memberId ?? (await myName(caller));
}

/** What the token says of the caller, if it is one of a session. */
export async function ownClaims(caller: Caller) {
  const token = await caller.tokenFor(accounts.verify);
  return token === undefined ? undefined : claimsOf(token);
}
