import type { Context } from '../../service/context.ts';
import type { MemberRow } from '../../platform/store/tables/tables.ts';
import { emailKey, usernameKey } from './names.ts';
import type { MemberSummary } from './summaries.ts';
import { hasVerifiedEmail, type AddressColumns } from './verified-email.ts';

const wholeId = /^[0-9a-f]{24}$/i;

/** A member found by a name that somebody entered. */
export interface NamedMember extends MemberSummary {
  /** compressed, hex */
  readonly publicKey: string;
}

/**
 * Which e-mail addresses name their accounts. An address that nobody verified may be registered by anybody, so it serves only to take
 * something away from an account: `claimed` is for whom something is taken from.
 */
export type Addresses = 'verified' | 'claimed';

/**
 * Finds members by id, username or e-mail address. Each name must match whole; case doesn't matter. The result has the order of the names,
 * and undefined for an unknown name. It is one statement, whether or not the names are known.
 */
export async function membersNamed(
  ctx: Pick<Context, 'db' | 'config'>,
  names: readonly string[],
  addresses: Addresses = 'verified',
): Promise<(NamedMember | undefined)[]> {
  if (names.length === 0) return [];
  const { ids, usernames, emails } = keysOf(names);
  const rows = await ctx.db
    .selectFrom('members')
    .select(['id', 'username', 'status', 'public_key', 'username_key', 'email_key', 'verified_email_key'])
    .where((e) => e.or([e('id', 'in', ids), e('username_key', 'in', usernames), e('email_key', 'in', emails)]))
    .execute();
  return inOrderOf(ctx, names, rows, addresses).map((row) => {
    if (row === undefined) return undefined;
    return { id: row.id, username: row.username, active: row.status === 'active', publicKey: row.public_key };
  });
}

/** What the columns of members have if a name means one of them. For statements that ask more at once. */
export function keysOf(names: readonly string[]): Readonly<Record<'ids' | 'usernames' | 'emails', string[]>> {
  return { ids: names.map(idKey), usernames: names.map(usernameKey), emails: names.map(emailKey) };
}

type Keyed = Pick<MemberRow, 'id'> & AddressColumns;

/** Which of the rows, found by `keysOf`, each name means. */
export function inOrderOf<Row extends Keyed>(
  ctx: Pick<Context, 'config'>,
  names: readonly string[],
  rows: readonly Row[],
  addresses: Addresses = 'verified',
): (Row | undefined)[] {
  const found = new Map<string, Row>();
  for (const row of rows) {
    for (const key of [`id ${row.id}`, `username ${row.username_key}`]) found.set(key, row);
    if (addresses === 'claimed' || hasVerifiedEmail(ctx, row)) found.set(`email ${row.email_key}`, row);
  }
  return names.map((name) => found.get(keyOf(name)));
}

/** What to add to the refusal of an unknown name, before the full stop. It depends on the name alone, so it tells nothing about anybody. */
export function addressHint(name: string | undefined): string {
  return name?.includes('@') === true
    ? ' (an e-mail address names a member only if it is verified; give the username or the id)'
    : '';
}

/** A username may look like an id. Such a name means only the member with this id; otherwise somebody could impersonate another member. */
function keyOf(name: string): string {
  if (wholeId.test(name)) return `id ${idKey(name)}`;
  return name.includes('@') ? `email ${emailKey(name)}` : `username ${usernameKey(name)}`;
}

function idKey(name: string): string {
  return name.toLowerCase();
}
