import type { Entry, EntryType } from '../../../contract/passvault/entry.ts';
import { Problem } from '../../../base/problem.ts';

/** The current one-time code. It is computed, not stored. */
export const otpField = 'otp';

type TextName =
  | 'title'
  | 'username'
  | 'password'
  | 'siteUrl'
  | 'totpSecret'
  | 'cardholderName'
  | 'cardNumber'
  | 'expirationDate'
  | 'cvv'
  | 'content'
  | 'notes';

interface KnownField {
  /** the name that people type */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly property: TextName;
  /** hidden on a screen, masked in output, never accepted as an argument */
  readonly secret: boolean;
  readonly label: string;
  readonly types: readonly EntryType[];
}

const everywhere = ['login', 'credit_card', 'secure_note'] as const;

function known(name: string, property: TextName, label: string, more: Partial<KnownField> = {}): KnownField {
  return { name, property, label, secret: false, aliases: [], types: everywhere, ...more };
}

/** The standard fields in the order of display. */
export const knownFields: readonly KnownField[] = [
  known('title', 'title', 'Title'),
  known('username', 'username', 'Username', { aliases: ['user', 'login'], types: ['login'] }),
  known('password', 'password', 'Password', { secret: true, types: ['login'] }),
  known('url', 'siteUrl', 'Address', { aliases: ['site-url', 'website', 'uri'], types: ['login'] }),
  known('totp-secret', 'totpSecret', 'One-time code secret', { secret: true, aliases: ['totp'], types: ['login'] }),
  known('cardholder', 'cardholderName', 'Cardholder', { aliases: ['cardholder-name'], types: ['credit_card'] }),
  known('card-number', 'cardNumber', 'Card number', { secret: true, aliases: ['number'], types: ['credit_card'] }),
  known('expires', 'expirationDate', 'Expires', { aliases: ['expiration-date'], types: ['credit_card'] }),
  known('cvv', 'cvv', 'CVV', { secret: true, aliases: ['cvc'], types: ['credit_card'] }),
  known('content', 'content', 'Content', { secret: true, aliases: ['note'], types: ['secure_note'] }),
  known('notes', 'notes', 'Notes'),
];

const mainFields: Readonly<Record<EntryType, string>> = {
  login: 'password',
  credit_card: 'card-number',
  secure_note: 'content',
};

/** The main field of an entry type, for example the password of a login. */
export function mainFieldOf(type: EntryType): string {
  return mainFields[type];
}

export function knownField(name: string): KnownField | undefined {
  const wanted = plainName(name);
  return knownFields.find((field) =>
    [field.name, field.property, ...field.aliases].some((one) => plainName(one) === wanted),
  );
}

/** The name that people type for a property of an entry. */
export function wordOf(property: string): string | undefined {
  return knownFields.find((field) => field.property === property)?.name;
}

export interface FieldValue {
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

/**
 * Finds a field by its name. Standard fields of the entry's type come first, then custom fields: first an exact match, then any case.
 *
 * @throws Problem missing FIELD_NOT_FOUND that names the fields of the entry, conflict AMBIGUOUS
 */
export function fieldOf(entry: Entry, name: string): FieldValue {
  const common = knownField(name);
  const value = common === undefined ? undefined : entry[common.property];
  if (common !== undefined && value !== undefined && value !== '') {
    return { name: common.name, value, secret: common.secret };
  }
  const own = entry.customFields ?? [];
  const wanted = name.normalize('NFC');
  const exact = own.filter((field) => field.name.normalize('NFC') === wanted);
  const inAnyCase = (field: { name: string }) => field.name.normalize('NFC').toLowerCase() === wanted.toLowerCase();
  const found = exact.length > 0 ? exact : own.filter(inAnyCase);
  const [one] = found;
  if (one === undefined) throw noField(entry, name);
  if (found.length > 1) {
    const message = `${JSON.stringify(entry.title)} has more than one field ${JSON.stringify(name)}. Use --json to show all.`;
    throw new Problem('conflict', 'AMBIGUOUS', message);
  }
  return { name: one.name, value: one.value, secret: one.hidden };
}

/** The names of all fields that have a value, as `fieldOf` accepts them. */
function fieldNamesOf(entry: Entry): string[] {
  const common = knownFields.filter(({ property }) => (entry[property] ?? '') !== '').map(({ name }) => name);
  const code = (entry.totpSecret ?? '') === '' ? [] : [otpField];
  return [...common, ...code, ...(entry.customFields ?? []).map(({ name }) => name)];
}

function noField(entry: Entry, name: string): Problem {
  const message = `${JSON.stringify(entry.title)} has no ${JSON.stringify(name)}. It has: ${fieldNamesOf(entry).join(', ')}.`;
  return new Problem('missing', 'FIELD_NOT_FOUND', message);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}
