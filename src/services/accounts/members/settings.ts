import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { User } from '../../../contract/accounts/user.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { audit } from '../../../members/audit.ts';
import { assertStillSignedIn } from '../../../members/still-signed-in.ts';
import { checkedSettings, type SettingsInput } from './setting-values.ts';
import { userOf } from './user.ts';

export interface Settings {
  email: string;
  timezone: string;
  currency: string;
  siteLanguage: string;
  darkMode: boolean;
  directChallenge: boolean;
}

export async function showSettings(ctx: Context, actor: Actor): Promise<{ settings: Settings }> {
  const { email, timezone, currency, siteLanguage, darkMode, directChallenge } = await userOf(ctx, actor.memberId);
  return { settings: { email, timezone, currency, siteLanguage, darkMode, directChallenge } };
}

const change = writtenQuery(`
  update member_settings set timezone = coalesce($1, timezone), site_language = coalesce($2, site_language),
    currency = coalesce($3, currency), dark_mode = coalesce($4, dark_mode), direct_challenge = coalesce($5, direct_challenge)
  where member_id = $6`);
const touch = writtenQuery('update members set updated_at = $1 where id = $2');

/** What is left out stays. */
export async function updateSettings(ctx: Context, actor: Actor, input: SettingsInput): Promise<{ user: User }> {
  const values = valuesOf(checkedSettings(input));
  if (values.every((value) => value === null)) return { user: await userOf(ctx, actor.memberId) };
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await tx.db.executeQuery(change(...values, actor.memberId));
    await tx.db.executeQuery(touch(tx.clock.now(), actor.memberId));
    if (input.directChallenge !== undefined)
      audit(tx, actor, 'account.set-direct-challenge', actor.memberId, { on: input.directChallenge });
    return { user: await userOf(tx, actor.memberId) };
  });
}

function valuesOf(settings: SettingsInput): (string | number | null)[] {
  const { timezone, siteLanguage, currency, darkMode, directChallenge } = settings;
  return [timezone ?? null, siteLanguage ?? null, currency ?? null, flag(darkMode), flag(directChallenge)];
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : value ? 1 : 0;
}
