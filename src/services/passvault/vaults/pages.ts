import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import type { PassvaultPageRow } from '../../../platform/store/tables/passvault.ts';
import type { OpenVault } from './access.ts';
import { packPage, unpackPage, type Properties } from './properties.ts';
import { openBytes, openText, sealBytes, type Place } from './sealing.ts';

/**
 * Property records are sealed together, 256 to a page. With one record each, opening the records of 10,000 entries would take longer than a
 * search may. With all in one page, each change of an entry would write all of them.
 */
export const PAGE_RECORDS = 256;

/** The vault and its data key. */
export type Sealer = Pick<OpenVault, 'id' | 'dataKey'>;

function placeOf(vaultId: string, page: number, version: number): Place {
  return { vaultId, id: String(page), version, fieldClass: 'page' };
}

export function openPage(vault: Sealer, row: Pick<PassvaultPageRow, 'page' | 'version' | 'sealed'>): Properties[] {
  return unpackPage(openText(vault.dataKey, placeOf(vault.id, row.page, row.version), row.sealed));
}

export function sealPage(ctx: Context, vault: Sealer, page: number, version: number, records: readonly Properties[]) {
  return sealBytes(ctx, vault.dataKey, placeOf(vault.id, page, version), utf8(packPage(records)));
}

/** All records of a vault, in the order in which they were added. */
export async function readProperties(ctx: Context, vault: Sealer): Promise<Properties[]> {
  return await findProperties(ctx, vault, () => true);
}

/** The records of the pages that pass. @param passes is also told whether the text is ASCII only */
export async function findProperties(
  ctx: Context,
  vault: Sealer,
  passes: (text: string, ascii: boolean) => boolean,
): Promise<Properties[]> {
  const rows = await ctx.db
    .selectFrom('passvault_pages')
    .select(['page', 'version', 'sealed'])
    .where('vault_id', '=', vault.id)
    .orderBy('page')
    .execute();
  return rows.flatMap((row) => openPassing(vault, row, passes));
}

export interface OpenedPage {
  readonly page: number;
  readonly records: readonly Properties[];
}

/** Opens up to `most` pages, starting at page `from`. A page that doesn't pass has no records. */
export async function openPages(
  ctx: Context,
  vault: Sealer,
  from: number,
  most: number,
  passes: (text: string, ascii: boolean) => boolean,
): Promise<OpenedPage[]> {
  const rows = await ctx.db
    .selectFrom('passvault_pages')
    .select(['page', 'version', 'sealed'])
    .where('vault_id', '=', vault.id)
    .where('page', '>=', from)
    .orderBy('page')
    .limit(most)
    .execute();
  return rows.map((row) => ({ page: row.page, records: openPassing(vault, row, passes) }));
}

function openPassing(
  vault: Sealer,
  row: Pick<PassvaultPageRow, 'page' | 'version' | 'sealed'>,
  passes: (text: string, ascii: boolean) => boolean,
): Properties[] {
  const bytes = openBytes(vault.dataKey, placeOf(vault.id, row.page, row.version), row.sealed);
  const text = fromUtf8(bytes);
  const passed = passes(text, text.length === bytes.length);
  bytes.fill(0);
  return passed ? unpackPage(text) : [];
}

interface Page {
  readonly page: number;
  readonly version: number;
  readonly records: Properties[];
}

async function readPage(tx: Context, vault: Sealer, page: number): Promise<Page> {
  const row = await tx.db
    .selectFrom('passvault_pages')
    .select(['page', 'version', 'sealed'])
    .where('vault_id', '=', vault.id)
    .where('page', '=', page)
    .executeTakeFirstOrThrow();
  return { page, version: row.version, records: openPage(vault, row) };
}

/** The page for new records: the last one, or a new one after it. Pages are never removed, so that no version is used twice. */
export async function lastPage(tx: Context, vault: Sealer): Promise<Page> {
  const row = await tx.db
    .selectFrom('passvault_pages')
    .select(['page', 'version', 'sealed', 'records'])
    .where('vault_id', '=', vault.id)
    .orderBy('page', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.records >= PAGE_RECORDS) return { page: (row?.page ?? 0) + 1, version: 0, records: [] };
  return { page: row.page, version: row.version, records: openPage(vault, row) };
}

export async function writePage(tx: Context, vault: Sealer, { page, version, records }: Page): Promise<void> {
  const next = version + 1;
  const kept = { records: records.length, version: next, sealed: sealPage(tx, vault, page, next, records) };
  await tx.db
    .insertInto('passvault_pages')
    .values({ vault_id: vault.id, page, ...kept })
    .onConflict((conflict) => conflict.columns(['vault_id', 'page']).doUpdateSet(kept))
    .execute();
}

/** @returns the page that the record went to */
export async function addRecord(tx: Context, vault: Sealer, record: Properties): Promise<number> {
  const last = await lastPage(tx, vault);
  await writePage(tx, vault, { ...last, records: [...last.records, record] });
  return last.page;
}

/** @param record replaces the record of the entry; undefined removes it */
export async function setRecord(
  tx: Context,
  vault: Sealer,
  page: number,
  entryId: string,
  record: Properties | undefined,
): Promise<void> {
  const found = await readPage(tx, vault, page);
  const records = found.records.flatMap((one) => (one.id === entryId ? (record === undefined ? [] : [record]) : [one]));
  await writePage(tx, vault, { ...found, records });
}
