import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { User } from '../../../contract/accounts/user.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { audit } from '../../../shared/members/audit.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { userOf } from '../user.ts';
import { timeZoneNamed } from '../../../base/time-zone.ts';
import { fieldsProblem, type FieldProblem } from '../../../base/problem.ts';

export interface Settings {
  email: string;
  timezone: string;
  currency: string;
  siteLanguage: string;
  darkMode: boolean;
  directChallenge: boolean;
}

export async function settings(ctx: Context, actor: Actor): Promise<{ settings: Settings }> {
  const { email, timezone, currency, siteLanguage, darkMode, directChallenge } = await userOf(ctx, actor.memberId);
  return { settings: { email, timezone, currency, siteLanguage, darkMode, directChallenge } };
}

const change = writtenQuery(`
  update member_settings set timezone = coalesce($1, timezone), site_language = coalesce($2, site_language),
    currency = coalesce($3, currency), dark_mode = coalesce($4, dark_mode), direct_challenge = coalesce($5, direct_challenge)
  where member_id = $6`);
const touch = writtenQuery('update members set updated_at = $1 where id = $2');

/** Missing fields stay as they are. */
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

function valuesOf(changes: SettingsInput): (string | number | null)[] {
  const { timezone, siteLanguage, currency, darkMode, directChallenge } = changes;
  return [timezone ?? null, siteLanguage ?? null, currency ?? null, flag(darkMode), flag(directChallenge)];
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : value ? 1 : 0;
}

export interface SettingsInput {
  readonly timezone?: string | undefined;
  readonly siteLanguage?: string | undefined;
  readonly currency?: string | undefined;
  readonly darkMode?: boolean | undefined;
  readonly directChallenge?: boolean | undefined;
}

/**
 * Checks the given settings and normalises their spelling to the standards.
 * @throws Problem invalid VALIDATION_ERROR with every wrong field
 */
function checkedSettings(input: SettingsInput): SettingsInput {
  const fields: FieldProblem[] = [];
  const check = (
    path: string,
    value: string | undefined,
    spell: (value: string) => string | undefined,
    message: string,
  ) => {
    if (value === undefined) return undefined;
    const spelled = spell(value);
    if (spelled === undefined) fields.push({ path, message });
    return spelled;
  };
  const timezone = check('timezone', input.timezone, timeZoneNamed, 'is not an IANA time zone');
  const siteLanguage = check('siteLanguage', input.siteLanguage, languageTag, 'is not a BCP 47 language tag');
  const currency = check('currency', input.currency, currencyCode, 'is not an ISO 4217 currency code');
  if (fields.length > 0) throw fieldsProblem(fields);
  return { ...input, timezone, siteLanguage, currency };
}

function languageTag(value: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(value)[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function currencyCode(value: string): string | undefined {
  const code = value.toUpperCase();
  return Intl.supportedValuesOf('currency').includes(code) ? code : undefined;
}
