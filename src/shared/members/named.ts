import type { Context } from '../../service/context.ts';
import type { MemberRow } from '../../platform/store/tables/tables.ts';
import { emailKey, usernameKey } from './names.ts';
import type { MemberSummary } from './summaries.ts';

const wholeId = /^[0-9a-f]{24}$/i;

/** A member found by a name that somebody entered. */
export interface NamedMember extends MemberSummary {
  /** compressed, hex */
  readonly publicKey: string;
}

/**
 * Finds members by id, username or e-mail address. Each name must match whole; case doesn't matter. The result has the order of the names,
 * and undefined for an unknown name. It is one statement, whether or not the names are known.
 */
export async function membersNamed(
  { db }: Pick<Context, 'db'>,
  names: readonly string[],
): Promise<(NamedMember | undefined)[]> {
  if (names.length === 0) return [];
  const { ids, usernames, emails } = keysOf(names);
  const rows = await db
    .selectFrom('members')
    .select(['id', 'username', 'status', 'public_key', 'username_key', 'email_key'])
    .where((e) => e.or([e('id', 'in', ids), e('username_key', 'in', usernames), e('email_key', 'in', emails)]))
    .execute();
  return inOrderOf(names, rows).map((row) => {
    if (row === undefined) return undefined;
    return { id: row.id, username: row.username, active: row.status === 'active', publicKey: row.public_key };
  });
}

/** What the columns of members have if a name means one of them. For statements that ask more at once. */
export function keysOf(names: readonly string[]): Readonly<Record<'ids' | 'usernames' | 'emails', string[]>> {
  return { ids: names.map(idKey), usernames: names.map(usernameKey), emails: names.map(emailKey) };
}

type Keyed = Pick<MemberRow, 'id' | 'username_key' | 'email_key'>;

/** Which of the rows, found by `keysOf`, each name means. */
export function inOrderOf<Row extends Keyed>(names: readonly string[], rows: readonly Row[]): (Row | undefined)[] {
  const found = new Map<string, Row>();
  for (const row of rows)
    for (const key of [`id ${row.id}`, `username ${row.username_key}`, `email ${row.email_key}`]) found.set(key, row);
  return names.map((name) => found.get(keyOf(name)));
}

/** A username may look like an id. Such a name means only the member with this id; otherwise somebody could impersonate another member. */
function keyOf(name: string): string {
  if (wholeId.test(name)) return `id ${idKey(name)}`;
  return name.includes('@') ? `email ${emailKey(name)}` : `username ${usernameKey(name)}`;
}

function idKey(name: string): string {
  return name.toLowerCase();
}
