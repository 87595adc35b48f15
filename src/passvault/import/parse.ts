import type { ImportFormat } from '../../contract/passvault/transfer.ts';
import { Problem } from '../../problem.ts';
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
import { importFormats } from './record.ts';

interface File {
  readonly kind: FileKind;
  /** UTF-8 without a byte order mark, but for archives. */
  readonly bytes: Buffer;
  readonly valid: boolean;
}

/**
 * The records of another manager's export. One record that can't be read costs no other. Others get their turn while a large
 * file is read.
 *
 * @param format a documented key, or `auto` to tell it from the file
 * @throws Problem UNSUPPORTED_FORMAT, IMPORT_PASSWORD_REQUIRED, IMPORT_PASSWORD_WRONG, IMPORT_UNREADABLE
 * @throws the reason of `options.signal` when that is aborted
 */
export async function parseImport(
  format: string,
  bytes: Uint8Array,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const wanted = importFormats.find((known) => known === format);
  if (wanted === undefined && format !== 'auto') {
    throw new Problem(
      'invalid',
      'UNSUPPORTED_FORMAT',
      `The format must be auto or one of ${importFormats.join(', ')}.`,
    );
  }
  if (bytes.length > MAX_IMPORT_BYTES)
    throw notImportable(`The file is larger than ${MAX_IMPORT_BYTES / 1024 ** 2} MB.`);
  options.signal?.throwIfAborted();
  const file = openFile(bytes);
  const run = startRun(wanted ?? (await detect(file, options)), options);
  await importers[run.result.format](file, run);
  return run.result;
}

function openFile(bytes: Uint8Array): File {
  const { bytes: text, valid } = toUtf8(bytes);
  return { kind: kindOf(text), bytes: text, valid };
}

async function detect(file: File, options: ImportOptions): Promise<ImportFormat> {
  const format = await formatOf(file, startRun('managerC_json', options));
  if (format !== undefined) return format;
  throw new Problem('invalid', 'UNSUPPORTED_FORMAT', 'The file is not an export that is known here. Name its format.');
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
  managerA_1pux: async ({ bytes }, run) => await import1Pux(bytes, run),
  managerA_csv: ofTable(importOnePasswordCsv, (table) => isOnePassword8Table(table) || isOlderOnePasswordTable(table)),
  managerB_csv: ofTable(importLastPassCsv, isLastPassTable),
  managerC_json: async ({ kind, bytes }, run) =>
    await (kind === 'zip' ? importBitwardenZip(bytes, run) : importBitwardenJson(bytes, run)),
  managerC_csv: ofTable(importBitwardenCsv, isBitwardenTable),
  browserA_csv: ofTable(importChromeCsv, isChromeTable),
  browserB_csv: ofTable(importFirefoxCsv, isChromeTable),
  managerD_xml: async (file, run) => {
    // The reader of XML is loaded for XML alone.
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
