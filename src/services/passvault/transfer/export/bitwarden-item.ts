import type { KeptEntry, UrlMatch } from '../../../../contract/passvault/entry.ts';
import { withSteamScheme } from '../../../../crypto/totp.ts';
import type { ExportedEntry } from './exported-entry.ts';

/** Bitwarden's numbers. Null means the account's default, which is the domain unless it was changed. */
const MATCHES: Readonly<Record<UrlMatch, number | null>> = { domain: null, host: 1, startsWith: 2, exact: 3, never: 5 };

const TYPES = { login: 1, secure_note: 2, credit_card: 3 } as const;

export interface BitwardenItem {
  readonly folderId: string | null;
  readonly archivedDate: string | null;
  readonly [name: string]: unknown;
}

/** @param now milliseconds since 1970 */
export function bitwardenItem(entry: ExportedEntry, folderId: string | null, now: number): BitwardenItem {
  const { title, customFields = [], passwordHistory = [], createdAt, updatedAt } = entry;
  return {
    folderId,
    type: TYPES[entry.type],
    reprompt: 0,
    name: title,
    notes: (entry.type === 'secure_note' ? entry.content : entry.notes) ?? null,
    favorite: entry.favorite,
    fields: customFields.map(({ name, value, hidden }) => ({ name, value, type: hidden ? 1 : 0, linkedId: null })),
    ...(entry.type === 'login' && { login: loginOf(entry) }),
    ...(entry.type === 'credit_card' && { card: cardOf(entry) }),
    ...(entry.type === 'secure_note' && { secureNote: { type: 0 } }),
    collectionIds: null,
    organizationId: null,
    passwordHistory:
      passwordHistory.length === 0
        ? null
        : passwordHistory.map(({ password, changedAt }) => ({ lastUsedDate: changedAt, password })),
    ...(createdAt !== undefined && { creationDate: createdAt }),
    ...(updatedAt !== undefined && { revisionDate: updatedAt }),
    deletedDate: null,
    archivedDate: entry.archived ? (updatedAt ?? new Date(now).toISOString()) : null,
  };
}

function loginOf({ username, password, totpSecret, siteUrl, urls = [], passwordChangedAt }: ExportedEntry) {
  // The first address may occur again in the list, with its own match mode.
  const first = siteUrl === undefined || urls[0]?.uri === siteUrl ? [] : [{ uri: siteUrl, match: 'domain' as const }];
  return {
    uris: [...first, ...urls].map(({ uri, match }) => ({ match: MATCHES[match], uri })),
    username: username ?? null,
    password: password ?? null,
    totp: totpSecret === undefined ? null : withSteamScheme(totpSecret),
    passwordRevisionDate: passwordChangedAt ?? null,
    fido2Credentials: [],
  };
}

function cardOf({ cardholderName, cardNumber, expirationDate, cvv }: KeptEntry) {
  const [month = '', year = ''] = (expirationDate ?? '').split('/');
  return {
    cardholderName: cardholderName ?? null,
    brand: null,
    number: cardNumber ?? null,
    // Without a leading zero, as Bitwarden writes it.
    expMonth: month === '' ? null : month.replace(/^0/, ''),
    expYear: year === '' ? null : year,
    code: cvv ?? null,
  };
}
