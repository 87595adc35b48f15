import { recordOfDashlaneItem } from './dashlane-item.ts';
import type { ImportRun } from './import-run.ts';
import { notImportable } from './import-run.ts';
import { parseSlice } from './json-parse.ts';
import { elements, members, rootSlice } from './json-slices.ts';

const SECTIONS = new Set([
  'AUTHENTIFIANT',
  'SECURENOTE',
  'SECRET',
  'PAYMENTMEANS_CREDITCARD',
  'PAYMENTMEAN_PAYPAL',
  'BANKSTATEMENT',
  'IDCARD',
  'IDENTITY',
  'ADDRESS',
  'EMAIL',
  'PHONE',
  'COMPANY',
  'DRIVERLICENCE',
  'PASSPORT',
  'FISCALSTATEMENT',
]);

export function isDashlaneJson(root: ReadonlyMap<string, unknown>): boolean {
  return [...root.keys()].some((name) => SECTIONS.has(name));
}

/** Dashlane's old export: an object of sections, each a list. Category names are not records. */
export async function importDashlaneJson(bytes: Buffer, run: ImportRun): Promise<void> {
  const root = await members(await rootSlice(bytes, run), run);
  if (root === undefined || !isDashlaneJson(root)) throw notImportable('The file is not an export of Dashlane.');
  for (const [section, slice] of root) {
    if (section === 'AUTHCATEGORY' || section.endsWith('_CATEGORY')) continue;
    for (const item of (await elements(slice, run)) ?? []) {
      run.add((row) => recordOfDashlaneItem(section, parseSlice(item), row));
      run.reached(item.end, item.bytes.length);
      const turn = run.spend(2 * (item.end - item.start));
      if (turn) await turn;
    }
  }
}
