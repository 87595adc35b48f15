import type { KeptEntry, UrlMatch } from '../../../../contract/passvault/entry.ts';
import type { ImportFormat, ImportName } from '../../../../contract/passvault/transfer.ts';

/**
 * The documented keys: 1Password (managerA), LastPass (B), Bitwarden (C), KeePass (D), Dashlane (E), Chromium (browserA),
 * Firefox (browserB).
 */
export const importFormats = [
  'managerA_1pux',
  'managerA_csv',
  'managerB_csv',
  'managerC_json',
  'managerC_csv',
  'browserA_csv',
  'browserB_csv',
  'managerD_xml',
  'managerE_json',
] as const satisfies readonly ImportFormat[];

/** Names of the managers. If a manager has several formats, the file tells which one it is. */
export const importNames = {
  '1password': ['managerA_1pux', 'managerA_csv'],
  bitwarden: ['managerC_json', 'managerC_csv'],
  lastpass: ['managerB_csv'],
  chrome: ['browserA_csv'],
  firefox: ['browserB_csv'],
  keepass: ['managerD_xml'],
  dashlane: ['managerE_json'],
} as const satisfies Record<ImportName, readonly ImportFormat[]>;

export const urlMatches = ['domain', 'host', 'startsWith', 'exact', 'never'] as const satisfies readonly UrlMatch[];

export type RecordUrl = NonNullable<KeptEntry['urls']>[number];
export type CustomField = NonNullable<KeptEntry['customFields']>[number];
export type OldPassword = NonNullable<KeptEntry['passwordHistory']>[number];

export interface ImportedAttachment {
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** An entry as read from a file. */
export interface ImportRecord {
  /**
   * The title is never empty. `totpSecret` is base32 or an `otpauth://totp` URI; any other text becomes a custom field. `expirationDate` is
   * `MM/YYYY`, `MM/` or `/YYYY`. Empty members are left out.
   */
  readonly entry: KeptEntry;
  /** ISO 8601 in UTC, if the file has it. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** When the password was last set. */
  readonly passwordChangedAt?: string;
  readonly attachments: readonly ImportedAttachment[];
}
