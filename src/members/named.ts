import type { Context } from '../context.ts';
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
  const rows = await db
    .selectFrom('members')
    .select(['id', 'username', 'status', 'public_key', 'username_key', 'email_key'])
    .where((e) =>
      e.or([
        e('id', 'in', names.map(idKey)),
        e('username_key', 'in', names.map(usernameKey)),
        e('email_key', 'in', names.map(emailKey)),
      ]),
    )
    .execute();
  const found = new Map<string, NamedMember>();
  for (const { id, username, status, public_key: publicKey, username_key, email_key } of rows) {
    const member = { id, username, active: status === 'active', publicKey };
    for (const key of [`id ${id}`, `username ${username_key}`, `email ${email_key}`]) found.set(key, member);
  }
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
