import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import type { User } from '../contract/accounts.ts';
import type { MemberSettingsRow } from '../store/tables.ts';
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

/** What is left out stays. */
export async function updateSettings(ctx: Context, actor: Actor, input: SettingsInput): Promise<{ user: User }> {
  const changes = columnsOf(checkedSettings(input));
  if (Object.keys(changes).length === 0) return { user: await userOf(ctx, actor.memberId) };
  return await transaction(ctx, async (tx) => {
    await tx.db.updateTable('member_settings').set(changes).where('member_id', '=', actor.memberId).execute();
    await tx.db.updateTable('members').set({ updated_at: tx.clock.now() }).where('id', '=', actor.memberId).execute();
    return { user: await userOf(tx, actor.memberId) };
  });
}

function columnsOf(settings: SettingsInput): Partial<MemberSettingsRow> {
  const { timezone, siteLanguage, currency, darkMode, directChallenge } = settings;
  return {
    ...(timezone !== undefined && { timezone }),
    ...(siteLanguage !== undefined && { site_language: siteLanguage }),
    ...(currency !== undefined && { currency }),
    ...(darkMode !== undefined && { dark_mode: darkMode ? 1 : 0 }),
    ...(directChallenge !== undefined && { direct_challenge: directChallenge ? 1 : 0 }),
  };
}
