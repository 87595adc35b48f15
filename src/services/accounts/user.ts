import type { Actor } from '../../service/actor.ts';
import { privilegesOf } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { User } from '../../contract/accounts/user.ts';
import type { MemberRow, MemberSettingsRow } from '../../platform/store/tables/tables.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { hasVerifiedEmail } from '../../shared/members/verified-email.ts';
import { unauthorized } from '../../shared/members/authenticate.ts';

type UserRow = Omit<MemberRow, 'status' | 'public_key' | 'mnemonic_tag' | 'updated_at'> &
  Omit<MemberSettingsRow, 'member_id'>;

/** Returns the member of a token that was already checked. */
export async function verify(ctx: Context, actor: Actor): Promise<{ user: User & { lastLogin?: string } }> {
  const row = await userRow(ctx, actor.memberId);
  const user: User & { lastLogin?: string } = userDto(ctx, row);
  if (row.last_login_at !== null) user.lastLogin = new Date(row.last_login_at).toISOString();
  return { user };
}

export async function userOf(ctx: Context, memberId: string): Promise<User> {
  return userDto(ctx, await userRow(ctx, memberId));
}

// Clients call `verify` more than anything else.
const byId = writtenQuery<UserRow>(`
  select m.id, m.username, m.username_key, m.email, m.email_key, m.type, m.verified_email_key, m.created_at, m.created_by, m.role_updated_at, m.role_updated_by,
    m.last_login_at, s.timezone, s.site_language, s.currency, s.dark_mode, s.direct_challenge
  from members m join member_settings s on s.member_id = m.id
  where m.id = $1`);

async function userRow(ctx: Context, memberId: string): Promise<UserRow> {
  const { rows } = await ctx.db.executeQuery(byId(memberId));
  // Members are never removed, but a token without a member's row must not be valid.
  if (rows[0] === undefined) throw unauthorized();
  return rows[0];
}

function userDto(ctx: Context, row: UserRow): User {
  // There is one role, named after the member type. Its privileges are the user's.
  const { admin, member, child, system } = privilegesOf[row.type];
  const createdAt = new Date(row.created_at).toISOString();
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    roles: [
      {
        _id: `role-${row.id}`,
        name: row.type,
        // Written out, because a spread with additional fields is slow.
        admin,
        member,
        child,
        system,
        createdAt,
        updatedAt: row.role_updated_at === row.created_at ? createdAt : new Date(row.role_updated_at).toISOString(),
        createdBy: row.created_by,
        updatedBy: row.role_updated_by,
      },
    ],
    rolePrivileges: { admin, member, child, system },
    emailVerified: hasVerifiedEmail(ctx, row),
    timezone: row.timezone,
    siteLanguage: row.site_language,
    darkMode: row.dark_mode === 1,
    currency: row.currency,
    directChallenge: row.direct_challenge === 1,
  };
}
