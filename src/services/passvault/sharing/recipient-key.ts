import { openCredentials, credentialColumns, isStill } from '../../../shared/members/credentials.ts';
import type { KeyHolder } from '../../../shared/members/public-keys.ts';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../crypto/ecies.ts';

function contextOf(vaultId: string, memberId: string): Uint8Array {
  return utf8(`conclave/passvault/shared-key/v1/${vaultId}/${memberId}`);
}

export function wrapForRecipient(ctx: Context, vaultId: string, to: KeyHolder, dataKey: Uint8Array): Uint8Array {
  return eciesEncrypt(to.publicKey, dataKey, contextOf(vaultId, to.memberId), 'basic', ctx.random);
}

/**
 * Checks the account password of a member with whom a vault is shared, and opens the data key with that member's key.
 * @returns undefined for a wrong password
 */
export async function openAsRecipient(
  ctx: Context,
  actor: Actor,
  vaultId: string,
  wrapped: Uint8Array,
  password: string,
): Promise<Uint8Array | undefined> {
  const row = await ctx.db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.id', 'm.status', ...credentialColumns])
    .where('m.id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, status, ...credentials } = row;
  const holder = { id, status, credentials };
  const privateKey = await openCredentials(ctx, holder, password);
  // If the password was changed meanwhile, this one is wrong.
  if (privateKey === undefined || !(await isStill(ctx.db, holder))) return undefined;
  const dataKey = eciesDecrypt(privateKey, wrapped, contextOf(vaultId, id));
  privateKey.fill(0);
  return dataKey;
}
