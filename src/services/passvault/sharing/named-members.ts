import { emailKey, usernameKey } from '../../../members/names.ts';
import type { Context } from '../../../context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { invalidField } from '../problems.ts';
import type { Recipient } from './recipient-key.ts';

const wholeId = /^[0-9a-f]{24}$/i;

interface Names {
  readonly id: string;
  readonly username_key: string;
  readonly email_key: string;
}

/**
 * Active members by id, username or e-mail address, each whole. One lookup, whoever is known.
 * @throws Problem invalid VALIDATION_ERROR when one of them isn't an active member, or is named twice
 */
export async function membersOf(ctx: Context, field: string, names: readonly string[]): Promise<Recipient[]> {
  const rows = await ctx.db
    .selectFrom('members')
    .select(['id', 'public_key', 'username_key', 'email_key'])
    .where((e) =>
      e.or([
        e('id', 'in', names.map(idKey)),
        e('username_key', 'in', names.map(usernameKey)),
        e('email_key', 'in', names.map(emailKey)),
      ]),
    )
    .where('status', '=', 'active')
    .execute();
  const seen = new Set<string>();
  return names.map((name, at) => {
    const row = rows.find((one) => isNamed(one, name));
    if (row === undefined) throw invalidField(`${field}.${at}`, 'is no active member');
    if (seen.has(row.id)) throw invalidField(`${field}.${at}`, 'is named twice');
    seen.add(row.id);
    return { memberId: row.id, publicKey: fromHex(row.public_key) };
  });
}

/** The id of one of the members with whom a vault is shared, active or not. */
export async function recipientNamed(ctx: Context, vaultId: string, name: string): Promise<string | undefined> {
  const rows = await ctx.db
    .selectFrom('passvault_members as v')
    .innerJoin('members as m', 'm.id', 'v.member_id')
    .select(['m.id', 'm.username_key', 'm.email_key'])
    .where('v.vault_id', '=', vaultId)
    .where('v.role', '=', 'recipient')
    .execute();
  return rows.find((row) => isNamed(row, name))?.id;
}

/** The usernames of members, by id. */
export async function usernamesOf(ctx: Context, ids: ReadonlySet<string>): Promise<Record<string, string>> {
  if (ids.size === 0) return {};
  const rows = await ctx.db
    .selectFrom('members')
    .select(['id', 'username'])
    .where('id', 'in', [...ids])
    .execute();
  return Object.fromEntries(rows.map(({ id, username }) => [id, username]));
}

/** A username may look like an id: such a name means the member of the id alone, or somebody could take the place of another. */
function isNamed({ id, username_key: username, email_key: email }: Names, name: string): boolean {
  if (wholeId.test(name)) return id === idKey(name);
  return name.includes('@') ? email === emailKey(name) : username === usernameKey(name);
}

function idKey(name: string): string {
  return name.toLowerCase();
}
