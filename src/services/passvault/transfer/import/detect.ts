import type { ImportFormat } from '../../../../contract/passvault/transfer.ts';
import { isBitwardenTable } from './bitwarden-csv.ts';
import { isBitwardenJson } from './bitwarden-json.ts';
import { isPlainChromeTable } from './chrome-csv.ts';
import type { Table } from './csv-table.ts';
import { isDashlaneJson } from './dashlane-json.ts';
import { dashlaneTableName, isDashlaneTable } from './dashlane-zip.ts';
import { isFirefoxTable } from './firefox-csv.ts';
import type { ImportRun } from './import-run.ts';
import { members, rootSlice } from './json-slices.ts';
import { isLastPassTable } from './lastpass-csv.ts';
import { isOlderOnePasswordTable, isOnePassword8Table } from './onepassword-csv.ts';
import { isZip, openZip } from './zip-entries.ts';

/** The kind of a file, by its bytes: an archive, XML, JSON, or a table. */
export type FileKind = 'zip' | 'xml' | 'json' | 'table';

export function kindOf(bytes: Buffer): FileKind {
  if (isZip(bytes)) return 'zip';
  const start = /\S/.exec(bytes.toString('latin1', 0, 4096))?.[0];
  if (start === '<') return 'xml';
  // A table could start in this way too, but no known one does.
  return start === '{' || start === '[' ? 'json' : 'table';
}

export function formatOfZip(bytes: Uint8Array): ImportFormat | undefined {
  const zip = openZip(bytes);
  if (zip.find('export.data') !== undefined) return 'managerA_1pux';
  if (zip.find('data.json') !== undefined) return 'managerC_json';
  return [...zip.entries.keys()].some((path) => dashlaneTableName(path) !== undefined) ? 'managerE_json' : undefined;
}

export function formatOfXml(bytes: Buffer): ImportFormat | undefined {
  return /<KeePassFile[\s>]/.test(bytes.toString('latin1', 0, 4096)) ? 'managerD_xml' : undefined;
}

export async function formatOfJson(
  bytes: Buffer,
  run: Pick<ImportRun, 'spend' | 'notice'>,
): Promise<ImportFormat | undefined> {
  const root = await members(await rootSlice(bytes, run), run);
  if (root === undefined) return undefined;
  if (isBitwardenJson(root)) return 'managerC_json';
  return isDashlaneJson(root) ? 'managerE_json' : undefined;
}

/** The format of a table by its column names. Names that only one manager uses are tried first. */
export function formatOfTable(table: Table): ImportFormat | undefined {
  if (isOnePassword8Table(table)) return 'managerA_csv';
  if (isBitwardenTable(table)) return 'managerC_csv';
  if (isLastPassTable(table)) return 'managerB_csv';
  if (isFirefoxTable(table)) return 'browserB_csv';
  if (isPlainChromeTable(table)) return 'browserA_csv';
  if (isDashlaneTable(table)) return 'managerE_json';
  return isOlderOnePasswordTable(table) ? 'managerA_csv' : undefined;
}
