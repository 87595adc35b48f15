import { fieldsProblem, type FieldProblem } from '../../../problem.ts';

export interface SettingsInput {
  readonly timezone?: string | undefined;
  readonly siteLanguage?: string | undefined;
  readonly currency?: string | undefined;
  readonly darkMode?: boolean | undefined;
  readonly directChallenge?: boolean | undefined;
}

/**
 * Checks what is there and spells it the standard's way.
 * @throws Problem invalid VALIDATION_ERROR with every field that is wrong
 */
export function checkedSettings(input: SettingsInput): SettingsInput {
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
  const timezone = check('timezone', input.timezone, timezoneName, 'is not an IANA time zone');
  const siteLanguage = check('siteLanguage', input.siteLanguage, languageTag, 'is not a BCP 47 language tag');
  const currency = check('currency', input.currency, currencyCode, 'is not an ISO 4217 currency code');
  if (fields.length > 0) throw fieldsProblem(fields);
  return { ...input, timezone, siteLanguage, currency };
}

function timezoneName(value: string): string | undefined {
  // Offsets (`+01:00`) are accepted by newer engines alone, and aren't in the database of zones.
  if (!/^[A-Za-z]/.test(value)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    // An alias stays what it is (Asia/Kolkata resolves to Asia/Calcutta); only its case is corrected.
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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
