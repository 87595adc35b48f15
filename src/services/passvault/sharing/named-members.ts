import type { Context } from '../../../service/context.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { keyHolder, type KeyHolder } from '../../../shared/members/public-keys.ts';
import { fieldProblem } from '../../../base/problem.ts';

/**
 * Finds active members by id, username or e-mail address. Each name must match whole. It is one lookup, whether or not the names are known.
 * @throws Problem invalid VALIDATION_ERROR when a name isn't an active member, or is given twice
 */
export async function activeMembersNamed(ctx: Context, field: string, names: readonly string[]): Promise<KeyHolder[]> {
  const found = await membersNamed(ctx, names);
  const seen = new Set<string>();
  return found.map((member, at) => {
    if (member?.active !== true)
      throw fieldProblem(
        `${field}.${at}`,
        'is not an active member (an e-mail address names one only if it is verified)',
      );
    if (seen.has(member.id)) throw fieldProblem(`${field}.${at}`, 'is named twice');
    seen.add(member.id);
    return keyHolder({ id: member.id, public_key: member.publicKey });
  });
}

/** The id of one of the members with whom a vault is shared, active or not. */
export async function recipientNamed(ctx: Context, vaultId: string, name: string): Promise<string | undefined> {
  const [member] = await membersNamed(ctx, [name], 'claimed');
  // An owner must not learn whether a member exists, but only whether this member has the vault.
  const row = await ctx.db
    .selectFrom('passvault_members')
    .select('member_id')
    .where('vault_id', '=', vaultId)
    .where('member_id', '=', member?.id ?? '')
    .where('role', '=', 'recipient')
    .executeTakeFirst();
  return row?.member_id;
}
