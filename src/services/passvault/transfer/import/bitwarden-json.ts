import { Problem } from '../../../../base/problem.ts';
import { attachmentTooLarge, MAX_ATTACHMENT_BYTES } from './draft.ts';
import { toUtf8 } from './file-text.ts';
import type { ImportRun } from './import-run.ts';
import { notImportable } from './import-run.ts';
import { recordOfItem } from './bitwarden-item.ts';
import { parseSlice, parseSliceOr } from './json-parse.ts';
import { elements, members, rootSlice } from './json-slices.ts';
import type { Slice } from './json-slices.ts';
import { objectIn } from './json-values.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';
import type { ImportedAttachment } from './record.ts';
import { assertNoOverlap, openZip } from './zip-entries.ts';
import type { ZipFile } from './zip-entries.ts';
import { noteLeftovers } from './zip-leftovers.ts';

/** Reads the attachments of an item by its id, when the item is imported. @throws Problem when one is damaged or too large */
type ReadAttachments = (id: string) => Promise<ImportedAttachment[]>;

const noAttachments: ReadAttachments = () => Promise.resolve([]);

export function isBitwardenJson(root: ReadonlyMap<string, Slice>): boolean {
  return root.has('items') || (root.has('encrypted') && root.has('data'));
}

/** Imports an export of a person or an organisation, plain or password-protected. */
export async function importBitwardenJson(
  bytes: Buffer,
  run: ImportRun,
  attachments: ReadAttachments = noAttachments,
): Promise<void> {
  const root = await members(await rootSlice(bytes, run), run);
  if (root === undefined || !isBitwardenJson(root)) throw notImportable('The file is not an export of Bitwarden.');
  if (parseSliceOr(root.get('encrypted')) === true) {
    const { openProtected } = await import('./bitwarden-protected.ts');
    const opened = await openProtected(root, run.options);
    // A protected export inside a protected export is not supported; no program writes one.
    const inner = await members(await rootSlice(toUtf8(opened).bytes, run), run);
    if (!inner?.has('items')) throw notImportable('The encrypted content is not an export of Bitwarden.');
    return await importItems(inner, run, attachments);
  }
  return await importItems(root, run, attachments);
}

/** Imports a zip with attachments: `data.json` and `attachments/<item id>/<name>`. */
export async function importBitwardenZip(bytes: Uint8Array, run: ImportRun): Promise<void> {
  const zip = openZip(bytes);
  const data = await zip.readRecords(zip.find('data.json') ?? '');
  if (data === undefined) throw notImportable('There is no export of Bitwarden in the zip archive.');
  assertNoOverlap(zip);
  await importBitwardenJson(toUtf8(data).bytes, run, attachmentsIn(zip));
  noteLeftovers(zip.unread(), run);
}

function attachmentsIn(zip: ZipFile): ReadAttachments {
  const paths = new Map<string, string[]>();
  for (const path of zip.entries.keys()) {
    const [, id, name] = /^attachments\/([^/]+)\/(.+)$/is.exec(path) ?? [];
    if (id === undefined || name === undefined || name.endsWith('/')) continue;
    const ofItem = paths.get(id);
    if (ofItem) ofItem.push(path);
    else paths.set(id, [path]);
  }
  return async (id) => {
    const found: ImportedAttachment[] = [];
    for (const path of paths.get(id) ?? []) {
      const filename = plainName(path);
      const size = zip.entries.get(path)?.size ?? 0;
      // The size is checked before inflating.
      if (size > MAX_ATTACHMENT_BYTES) throw attachmentTooLarge(filename, size);
      const content = await zip.read(path);
      if (content) found.push({ filename, mimeType: mimeTypeOf(filename), bytes: content });
    }
    return found;
  };
}

async function importItems(root: Map<string, Slice>, run: ImportRun, read: ReadAttachments): Promise<void> {
  const items = await elements(root.get('items'), run);
  if (items === undefined) throw notImportable('The file has no list of items.');
  const names = await namesOf(root, run);
  for (const item of items) {
    const attachments = await attachmentsOf(item, read);
    run.add((row) => {
      if (attachments instanceof Error) throw attachments;
      return recordOfItem(parseSlice(item), row, { names, attachments, notice: run.notice });
    });
    run.reached(item.end, item.bytes.length);
    const turn = run.spend(2 * (item.end - item.start));
    if (turn) await turn;
  }
}

/** A value that cannot be read fails only its own item. */
async function attachmentsOf(slice: Slice, read: ReadAttachments): Promise<ImportedAttachment[] | Error> {
  if (read === noAttachments) return [];
  const { id } = objectIn(parseSliceOr(slice));
  try {
    return typeof id === 'string' ? await read(id) : [];
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

async function namesOf(root: Map<string, Slice>, run: ImportRun): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const list of [root.get('folders'), root.get('collections')]) {
    for (const slice of (await elements(list, run)) ?? []) {
      const folder = parseSliceOr(slice);
      const { id, name } = objectIn(folder);
      if (typeof id === 'string' && typeof name === 'string') names.set(id, name);
    }
  }
  return names;
}
