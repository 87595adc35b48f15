import type { Actor, MemberType } from '../actor.ts';
import { privilegesOf } from '../actor.ts';
import type { Context } from '../context.ts';
import type { User } from '../contract/accounts.ts';
import { unauthorized } from './authenticate.ts';

interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly type: MemberType;
  readonly email_verified: number;
  readonly created_at: number;
  readonly created_by: string;
  readonly role_updated_at: number;
  readonly role_updated_by: string;
  readonly last_login_at: number | null;
  readonly timezone: string;
  readonly site_language: string;
  readonly currency: string;
  readonly dark_mode: number;
  readonly direct_challenge: number;
}

/** The token was good, so this only says whose it is. */
export async function verify(ctx: Context, actor: Actor): Promise<{ user: User & { lastLogin?: string } }> {
  const row = await userRow(ctx, actor.memberId);
  const lastLogin = row.last_login_at;
  return { user: { ...userDto(row), ...(lastLogin !== null && { lastLogin: new Date(lastLogin).toISOString() }) } };
}

export async function userOf(ctx: Context, memberId: string): Promise<User> {
  return userDto(await userRow(ctx, memberId));
}

async function userRow(ctx: Context, memberId: string): Promise<UserRow> {
  const row = await ctx.db
    .selectFrom('members as m')
    .innerJoin('member_settings as s', 's.member_id', 'm.id')
    .select([
      'm.id',
      'm.username',
      'm.email',
      'm.type',
      'm.email_verified',
      'm.created_at',
      'm.created_by',
      'm.role_updated_at',
      'm.role_updated_by',
      'm.last_login_at',
      's.timezone',
      's.site_language',
      's.currency',
      's.dark_mode',
      's.direct_challenge',
    ])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  // Members aren't removed, but a token must never be worth more than the row behind it.
  if (row === undefined) throw unauthorized();
  return row;
}

function userDto(row: UserRow): User {
  // One role, named after the member type: its privileges are those of the user.
  const privileges = privilegesOf[row.type];
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    roles: [
      {
        _id: `role-${row.id}`,
        name: row.type,
        ...privileges,
        createdAt: new Date(row.created_at).toISOString(),
        updatedAt: new Date(row.role_updated_at).toISOString(),
        createdBy: row.created_by,
        updatedBy: row.role_updated_by,
      },
    ],
    rolePrivileges: { ...privileges },
    emailVerified: row.email_verified === 1,
    timezone: row.timezone,
    siteLanguage: row.site_language,
    darkMode: row.dark_mode === 1,
    currency: row.currency,
    directChallenge: row.direct_challenge === 1,
  };
}
