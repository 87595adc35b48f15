import type { ImportFormat } from '../../../../contract/passvault/transfer.ts';
import { fieldProblem, Problem } from '../../../../base/problem.ts';
import { importBitwardenCsv, isBitwardenTable } from './bitwarden-csv.ts';
import { importBitwardenJson, importBitwardenZip } from './bitwarden-json.ts';
import { importChromeCsv, isChromeTable } from './chrome-csv.ts';
import type { Table } from './csv-table.ts';
import { tableOf } from './csv-table.ts';
import { importDashlaneJson } from './dashlane-json.ts';
import { importDashlaneZip, importTable, isDashlaneTable } from './dashlane-zip.ts';
import { formatOfJson, formatOfTable, formatOfXml, formatOfZip, kindOf } from './detect.ts';
import type { FileKind } from './detect.ts';
import { toUtf8 } from './file-text.ts';
import { importFirefoxCsv } from './firefox-csv.ts';
import type { ImportOptions, ImportResult, ImportRun } from './import-run.ts';
import { MAX_IMPORT_BYTES, notImportable, startRun } from './import-run.ts';
import { importLastPassCsv, isLastPassTable } from './lastpass-csv.ts';
import { import1Pux } from './onepassword-1pux.ts';
import { importOnePasswordCsv, isOlderOnePasswordTable, isOnePassword8Table } from './onepassword-csv.ts';
import { couldBeTable, importMappedCsv } from './mapped-csv.ts';
import { importFormats, importNames } from './record.ts';

interface File {
  readonly kind: FileKind;
  /** UTF-8 without a byte order mark; for archives the unchanged bytes. */
  readonly bytes: Buffer;
  readonly valid: boolean;
}

/**
 * Reads the records of another manager's export. An unreadable record doesn't affect the others. Other work gets turns while a large file
 * is read.
 *
 * @param format a documented key, the name of a manager, `csv`, or `auto` to detect it from the file
 * @throws Problem UNSUPPORTED_FORMAT, IMPORT_PASSWORD_REQUIRED, IMPORT_PASSWORD_WRONG, IMPORT_UNREADABLE, VALIDATION_ERROR for columns that
 *   don't fit
 * @throws the reason of `options.signal` when that is aborted
 */
export async function parseImport(
  format: string,
  bytes: Uint8Array,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const wanted = wish(format);
  if (options.columns && format !== 'auto' && format !== 'csv')
    throw fieldProblem('columns', 'can be given only with the formats auto and csv');
  if (bytes.length > MAX_IMPORT_BYTES)
    throw notImportable(`The file is larger than ${MAX_IMPORT_BYTES / 1024 ** 2} MB.`);
  options.signal?.throwIfAborted();
  const file = openFile(bytes);
  const run = startRun(await chosen(wanted, file, options), options);
  await importers[run.result.format](file, run);
  return run.result;
}

type Wish = 'auto' | { readonly key: ImportFormat } | { readonly anyOf: readonly ImportFormat[] };

function wish(format: string): Wish {
  if (format === 'auto') return 'auto';
  const key = format === 'csv' ? 'csv' : importFormats.find((known) => known === format);
  if (key !== undefined) return { key };
  if (Object.hasOwn(importNames, format)) return { anyOf: importNames[format as keyof typeof importNames] };
  const names = Object.keys(importNames).join(', ');
  throw unsupported(`The format must be auto, ${names}, csv or a key of the documents.`);
}

const KINDS: Readonly<Record<ImportFormat, readonly FileKind[]>> = {
  managerA_1pux: ['zip'],
  managerA_csv: ['table'],
  managerB_csv: ['table'],
  managerC_json: ['zip', 'json'],
  managerC_csv: ['table'],
  browserA_csv: ['table'],
  browserB_csv: ['table'],
  managerD_xml: ['xml'],
  managerE_json: ['zip', 'json', 'table'],
  csv: ['table'],
};

async function chosen(wanted: Wish, file: File, options: ImportOptions): Promise<ImportFormat> {
  if (options.columns) return 'csv';
  if (wanted === 'auto') return await detect(file, options);
  if ('key' in wanted) return wanted.key;
  const fitting = wanted.anyOf.find((format) => KINDS[format].includes(file.kind));
  if (fitting !== undefined) return fitting;
  throw unsupported('The file does not have the format that was named. Try the format auto.');
}

function unsupported(message: string): Problem {
  return new Problem('invalid', 'UNSUPPORTED_FORMAT', message);
}

function openFile(bytes: Uint8Array): File {
  const { bytes: text, valid } = toUtf8(bytes);
  return { kind: kindOf(text), bytes: text, valid };
}

async function detect(file: File, options: ImportOptions): Promise<ImportFormat> {
  const format = await formatOf(file, startRun('managerC_json', options));
  if (format !== undefined) return format;
  const table = file.kind === 'table' ? tableOf(file) : undefined;
  if (table && couldBeTable(table)) throw columnsUnknown();
  throw unsupported('The format of the file was not recognised. Name it.');
}

function columnsUnknown(): Problem {
  return unsupported('The columns of the CSV file were not recognised. Say which column holds what.');
}

async function formatOf(file: File, run: ImportRun): Promise<ImportFormat | undefined> {
  if (file.kind === 'zip') return formatOfZip(file.bytes);
  if (file.kind === 'xml') return formatOfXml(file.bytes);
  if (file.kind === 'json') return await formatOfJson(file.bytes, run);
  const table = tableOf(file);
  return table && formatOfTable(table);
}

type Importer = (file: File, run: ImportRun) => Promise<void>;

const importers: Readonly<Record<ImportFormat, Importer>> = {
  csv: async (file, run) => {
    const { columns } = run.options;
    if (columns === undefined) throw columnsUnknown();
    await ofTable(async (table) => await importMappedCsv(table, columns, run), couldBeTable)(file, run);
  },
  managerA_1pux: async ({ bytes }, run) => await import1Pux(bytes, run),
  managerA_csv: ofTable(importOnePasswordCsv, (table) => isOnePassword8Table(table) || isOlderOnePasswordTable(table)),
  managerB_csv: ofTable(importLastPassCsv, isLastPassTable),
  managerC_json: async ({ kind, bytes }, run) =>
    await (kind === 'zip' ? importBitwardenZip(bytes, run) : importBitwardenJson(bytes, run)),
  managerC_csv: ofTable(importBitwardenCsv, isBitwardenTable),
  browserA_csv: ofTable(importChromeCsv, isChromeTable),
  browserB_csv: ofTable(importFirefoxCsv, isChromeTable),
  managerD_xml: async (file, run) => {
    // The XML reader is loaded only for XML files.
    const { importKeePassXml } = await import('./keepass-xml.ts');
    await importKeePassXml(file, run);
  },
  managerE_json: async (file, run) => {
    if (file.kind === 'zip') return await importDashlaneZip(file.bytes, run);
    if (file.kind === 'json') return await importDashlaneJson(file.bytes, run);
    return await ofTable(async (table) => await importTable('credentials.csv', table, run), isDashlaneTable)(file, run);
  },
};

function ofTable(
  importTableOf: (table: Table, run: ImportRun) => Promise<void>,
  fits: (table: Table) => boolean,
): Importer {
  return async (file, run) => {
    const table = tableOf(file);
    if (table === undefined || !fits(table)) {
      throw notImportable('The first line of the file does not name the columns of this format.');
    }
    await importTableOf(table, run);
  };
}
