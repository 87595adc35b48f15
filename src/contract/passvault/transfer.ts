import * as v from 'valibot';
import { operation } from '../operation.ts';
import { secretText } from '../text.ts';
import { bodyBytesOf } from './entries.ts';
import { vaultId } from './entry.ts';
import { passvaultLimits } from './limits.ts';

const root = '/api/passvault/vaults/:vaultId';
const closed = ['VAULT_NOT_FOUND', 'VAULT_LOCKED'] as const;

/** Of an import file, decoded. */

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
] as const;
/** What an import was: one of the documents' keys, or a table whose columns were named. */
const importedFormats = [...importFormats, 'csv'] as const;
export type ImportFormat = (typeof importedFormats)[number];

/** The names that people know. Which of a maker's formats a file is, it says itself. */
export const importNames = ['1password', 'bitwarden', 'lastpass', 'chrome', 'firefox', 'keepass', 'dashlane'] as const;
export type ImportName = (typeof importNames)[number];

/** Whose format it is. */
export const importNameOf: Readonly<Record<ImportFormat, ImportName | 'csv'>> = {
  managerA_1pux: '1password',
  managerA_csv: '1password',
  managerB_csv: 'lastpass',
  managerC_json: 'bitwarden',
  managerC_csv: 'bitwarden',
  browserA_csv: 'chrome',
  browserB_csv: 'firefox',
  managerD_xml: 'keepass',
  managerE_json: 'dashlane',
  csv: 'csv',
};

const columnName = v.optional(
  v.pipe(
    v.string('must be text'),
    v.maxLength(500, 'must be at most 500 characters'),
    v.minLength(1, 'must not be empty'),
  ),
);
/** Of a table that no known program wrote: which column holds what. Other columns become fields of the entries. */
const importColumns = v.strictObject(
  {
    title: columnName,
    username: columnName,
    password: columnName,
    siteUrl: columnName,
    totpSecret: columnName,
    notes: columnName,
    tags: columnName,
    cardholderName: columnName,
    cardNumber: columnName,
    expirationDate: columnName,
    cvv: columnName,
  },
  'must name columns by title, username, password, siteUrl, totpSecret, notes, tags, cardholderName, cardNumber, expirationDate or cvv',
);
export type ImportColumns = v.InferOutput<typeof importColumns>;

const plainExportFormats = ['bitwarden_json', 'csv'] as const;
const exportFormats = [...plainExportFormats, 'encrypted'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const importError = v.object({
  row: v.pipe(v.number(), v.description('the record, from 1')),
  reason: v.pipe(v.string(), v.description('never holds a secret')),
});
export type ImportError = v.InferOutput<typeof importError>;

/** What an import does one after another, as far as the file and the request need it. */
const importStages = ['reading', 'comparing', 'encrypting', 'attaching', 'storing'] as const;
export type ImportStage = (typeof importStages)[number];

export const importProgress = v.object({
  stage: v.pipe(v.picklist(importStages), v.description('each stage counts from 0')),
  done: v.pipe(
    v.number(),
    v.description(
      'reading: of the file, in bytes; comparing: of the entries of the vault and the file; attaching: of the attachments; else of the new entries',
    ),
  ),
  total: v.pipe(v.number(), v.description('0: not known')),
});
export type ImportProgress = v.InferOutput<typeof importProgress>;

export const exported = v.object({
  format: v.picklist(exportFormats),
  filename: v.string(),
  mimeType: v.string(),
  content: v.pipe(v.string(), v.description('the file, as text')),
  entries: v.number(),
});

export const transfer = {
  import: operation({
    id: 'passvault.import',
    method: 'POST',
    path: `${root}/import`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Import a file of another password manager, wholly or not at all',
    description:
      'At most 50 MiB and 50,000 records. A second attachment of one name in an entry gets a number. `imported + skipped + errors` are the records of the file; records that cannot be read are errors and hold nothing up. ' +
      'With `dryRun` nothing is written.',
    input: v.object({
      vaultId,
      format: v.pipe(
        v.string('must be text'),
        v.maxLength(64, 'must be at most 64 characters'),
        v.description(
          `auto, ${importNames.join(', ')}, csv with columns, or a key of the documents: ${importFormats.join(', ')}`,
        ),
      ),
      fileContent: v.pipe(v.string('must be text'), v.description('base 64')),
      password: v.optional(v.pipe(secretText(1_024), v.description('of a protected file'))),
      columns: v.optional(
        v.pipe(
          importColumns,
          v.description('of a CSV file (comma, semicolon or tab) that is no known export: which column holds what'),
        ),
      ),
      skipDuplicates: v.optional(v.boolean('must be true or false'), false),
      includeRecycleBin: v.optional(
        v.pipe(v.boolean('must be true or false'), v.description('take what is in the recycle bin of KeePass as well')),
        false,
      ),
      dryRun: v.optional(v.boolean('must be true or false'), false),
    }),
    reply: v.object({
      imported: v.number(),
      types: v.pipe(
        v.object({ login: v.number(), credit_card: v.number(), secure_note: v.number() }),
        v.description('how many of each type are imported'),
      ),
      skipped: v.number(),
      errors: v.array(importError),
      notices: v.pipe(
        v.array(importError),
        v.description('what an entry could not keep, or was changed to; row 0 is about the whole file'),
      ),
      format: v.picklist(importedFormats),
      dryRun: v.boolean(),
    }),
    status: 200,
    message: 'Imported',
    errors: [
      'STORAGE_QUOTA_EXCEEDED',
      ...closed,
      'UNSUPPORTED_FORMAT',
      'IMPORT_PASSWORD_REQUIRED',
      'IMPORT_PASSWORD_WRONG',
      'IMPORT_UNREADABLE',
      'STORE_FULL',
      'OVERLOADED',
    ],
    maxBody: bodyBytesOf(passvaultLimits.importBytes),
  }),
  importProgress: operation({
    id: 'passvault.import-progress',
    method: 'GET',
    path: `${root}/import`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'How far an import is that the caller has running into a vault',
    description: 'Known to the server process that does the import, while it does it; `running` is null otherwise.',
    input: v.object({ vaultId }),
    reply: v.object({ running: v.nullable(importProgress) }),
    status: 200,
    message: 'Import',
    errors: ['VAULT_NOT_FOUND'],
  }),
  export: operation({
    id: 'passvault.export',
    method: 'GET',
    path: `${root}/export`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Export an open vault, unencrypted',
    description:
      'Bitwarden JSON holds everything; CSV leaves out history and attachments. The owner sees the export in the audit log.',
    input: v.object({ vaultId, format: v.optional(v.picklist(plainExportFormats), 'bitwarden_json') }),
    reply: exported,
    status: 200,
    message: 'Exported',
    secretReply: true,
    errors: [...closed, 'OVERLOADED'],
    limit: { name: 'write' },
  }),
  exportProtected: operation({
    id: 'passvault.export-protected',
    method: 'POST',
    path: `${root}/export`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Export an open vault, encrypted under a password',
    description:
      'A Bitwarden export that is protected by a password. A password never stands in a URL, so this is a POST.',
    input: v.object({ vaultId, password: v.pipe(secretText(1_024), v.minLength(8, 'must be at least 8 characters')) }),
    reply: exported,
    status: 200,
    message: 'Exported',
    secretReply: true,
    errors: [...closed, 'OVERLOADED'],
  }),
};
