import * as v from 'valibot';
import { operation } from '../operation.ts';
import { atLeast, atMost, secretText } from '../text.ts';
import { bodyBytesOf } from './entries.ts';
import { vaultId } from './entry.ts';
import { passvaultLimits } from './limits.ts';

const root = '/api/passvault/vaults/:vaultId';
const closed = ['VAULT_NOT_FOUND', 'VAULT_LOCKED'] as const;

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
/** The format of an import: a key of the documents, or a table with named columns. */
const importedFormats = [...importFormats, 'csv'] as const;
export type ImportFormat = (typeof importedFormats)[number];

/** Product names for people. A product may have several formats; the file shows which one it is. */
export const importNames = ['1password', 'bitwarden', 'lastpass', 'chrome', 'firefox', 'keepass', 'dashlane'] as const;
export type ImportName = (typeof importNames)[number];

/** The product of each format. */
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

const columnName = v.optional(v.pipe(atMost(500), v.minLength(1, 'must not be empty')));
/** For a table of an unknown program: the content of each column. Other columns become fields of the entries. */
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
  row: v.pipe(v.number(), v.description('number of the record, from 1')),
  reason: v.pipe(v.string(), v.description('never holds a secret')),
});
export type ImportError = v.InferOutput<typeof importError>;

/** The stages of an import in order. A file or request may skip some of them. */
const importStages = ['reading', 'comparing', 'encrypting', 'attaching', 'storing'] as const;
export type ImportStage = (typeof importStages)[number];

export const importProgress = v.object({
  stage: v.pipe(v.picklist(importStages), v.description('progress within the stage, from 0')),
  done: v.pipe(
    v.number(),
    v.description(
      'reading: of the file, in bytes; comparing: of the entries of the vault and the file; attaching: of the attachments; else of the new entries',
    ),
  ),
  total: v.pipe(v.number(), v.description('0 if not known')),
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
    summary: 'Import a file from another password manager, all records or none',
    description:
      'At most 50 MiB and 50,000 records. A second attachment with the same name gets a number. `imported + skipped + errors` are all records of the file. Records that cannot be read are errors, and do not stop the import. ' +
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
      password: v.optional(v.pipe(secretText(1_024), v.description('of an encrypted file'))),
      columns: v.optional(
        v.pipe(
          importColumns,
          v.description('which column holds what, for a CSV file (comma, semicolon or tab) of an unknown format'),
        ),
      ),
      skipDuplicates: v.optional(v.boolean('must be true or false'), false),
      includeRecycleBin: v.optional(
        v.pipe(v.boolean('must be true or false'), v.description('import the recycle bin of KeePass as well')),
        false,
      ),
      dryRun: v.optional(v.boolean('must be true or false'), false),
    }),
    reply: v.object({
      imported: v.number(),
      types: v.pipe(
        v.object({ login: v.number(), credit_card: v.number(), secure_note: v.number() }),
        v.description('number of imported entries of each type'),
      ),
      skipped: v.number(),
      errors: v.array(importError),
      notices: v.pipe(
        v.array(importError),
        v.description('what was left out or changed in an entry; row 0 is about the whole file'),
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
    summary: 'Show the progress of an import of the caller into a vault',
    description: 'Only the server process that runs the import knows it. Otherwise `running` is null.',
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
      'Bitwarden JSON contains everything. CSV has no history and no attachments. The audit log records the export.',
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
    summary: 'Export an open vault, encrypted with a password',
    description: 'A password-protected Bitwarden export. It is a POST because a URL must not contain a password.',
    input: v.object({ vaultId, password: v.pipe(secretText(1_024), atLeast(8), v.metadata({ minLength: 8 })) }),
    reply: exported,
    status: 200,
    message: 'Exported',
    secretReply: true,
    errors: [...closed, 'OVERLOADED'],
  }),
};
