import { attachmentTooLarge, MAX_ATTACHMENT_BYTES } from './draft.ts';
import { toUtf8 } from './file-text.ts';
import type { ImportRun } from './import-run.ts';
import { notImportable } from './import-run.ts';
import { parseSlice, parseSliceOr } from './json-parse.ts';
import { elements, members, rootSlice } from './json-slices.ts';
import type { Slice } from './json-slices.ts';
import type { Json } from './json-values.ts';
import { isObject, listIn, objectIn } from './json-values.ts';
import type { OnePasswordItem } from './onepassword-document.ts';
import { recordOfOnePasswordItem } from './onepassword-item.ts';
import { assertNoOverlap, openZip } from './zip-entries.ts';
import type { ZipFile } from './zip-entries.ts';
import { noteLeftovers } from './zip-leftovers.ts';

/** 1Password 8: a zip of `export.data` and `files/<document id>__<name>`. Every account and every vault is imported. */
export async function import1Pux(bytes: Uint8Array, run: ImportRun): Promise<void> {
  const zip = openZip(bytes);
  const data = await zip.readRecords(zip.find('export.data') ?? '');
  if (data === undefined) throw notImportable('There is no export of 1Password in the zip archive.');
  assertNoOverlap(zip);
  const documents = documentsOf(zip);
  const root = await members(await rootSlice(toUtf8(data).bytes, run), run);
  const accounts = await elements(root?.get('accounts'), run);
  if (accounts === undefined) throw notImportable('The file is not an export of 1Password.');
  const vaults: { name: string; items: Slice[] }[] = [];
  for (const account of accounts) {
    for (const vault of (await elements((await members(account, run))?.get('vaults'), run)) ?? []) {
      vaults.push(await vaultOf(vault, run));
    }
  }
  for (const { name, items } of vaults) {
    for (const slice of items) {
      const item = await readItem(slice, zip, documents, vaults.length > 1 ? name : '');
      run.add((row) => {
        if (item.files instanceof Error) throw item.files;
        return recordOfOnePasswordItem(item.json ?? parseSlice(slice), row, item.files, run.notice, item.vault);
      });
      run.reached(slice.end, slice.bytes.length);
      const turn = run.spend(2 * (slice.end - slice.start));
      if (turn) await turn;
    }
  }
  // Files that describe the export, and pictures of accounts and vaults, are not records.
  noteLeftovers(
    zip.unread().filter((path) => !/^export\.attributes$/i.test(path) && !/^files\/(?!.*?__)/is.test(path)),
    run,
  );
}

async function vaultOf(vault: Slice, run: ImportRun): Promise<{ name: string; items: Slice[] }> {
  const parts = await members(vault, run);
  const { name } = objectIn(parseSliceOr(parts?.get('attrs')));
  const items = await elements(parts?.get('items'), run);
  return { name: typeof name === 'string' ? name : '', items: items ?? [] };
}

/** Paths of documents in the archive, by document id. */
function documentsOf(zip: ZipFile): Map<string, string> {
  const documents = new Map<string, string>();
  for (const path of zip.entries.keys()) {
    const id = /^files\/(.+?)__/is.exec(path)?.[1];
    if (id !== undefined) documents.set(id, path);
  }
  return documents;
}

interface ReadItem {
  /** undefined if it can't be read; `parseSlice` gives the reason */
  readonly json: Json | undefined;
  readonly files: OnePasswordItem['files'] | Error;
  readonly vault: string;
}

async function readItem(slice: Slice, zip: ZipFile, documents: Map<string, string>, vault: string): Promise<ReadItem> {
  const json = parseSliceOr(slice);
  const files = new Map<string, Uint8Array>();
  try {
    for (const id of documentIdsIn(json)) {
      const path = documents.get(id);
      const size = path === undefined ? 0 : (zip.entries.get(path)?.size ?? 0);
      // The size is checked before inflating.
      if (path !== undefined && size > MAX_ATTACHMENT_BYTES) throw attachmentTooLarge(nameOfDocument(path), size);
      const content = path === undefined ? undefined : await zip.read(path);
      if (content !== undefined) files.set(id, content);
    }
    return { json, files, vault };
  } catch (error) {
    if (error instanceof Error) return { json, files: error, vault };
    throw error;
  }
}

function nameOfDocument(path: string): string {
  return /__(.+)$/s.exec(path)?.[1] ?? path;
}

/** Document ids, from each of the places that versions of the format use. */
function documentIdsIn(json: Json | undefined): Set<string> {
  const ids = new Set<string>();
  const visit = (value: Json | undefined): void => {
    for (const each of listIn(value)) visit(each);
    if (!isObject(value)) return;
    if (typeof value.documentId === 'string') ids.add(value.documentId);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(json);
  return ids;
}
