import { toUtf8 } from './file-text.ts';
import type { ImportRun } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { BitwardenContext } from './bitwarden-item.ts';
import { recordOfItem } from './bitwarden-item.ts';
import { parseSlice, parseSliceOr } from './json-parse.ts';
import { elements, members, rootSlice } from './json-slices.ts';
import type { Slice } from './json-slices.ts';
import { objectIn } from './json-values.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';
import type { ImportedAttachment } from './record.ts';
import { openZip } from './zip-entries.ts';

type Attachments = ReadonlyMap<string, readonly ImportedAttachment[]>;

export function isBitwardenJson(root: ReadonlyMap<string, Slice>): boolean {
  return root.has('items') || (root.has('encrypted') && root.has('data'));
}

/** Of a person or an organisation, plain or protected by a password. */
export async function importBitwardenJson(
  bytes: Buffer,
  run: ImportRun,
  attachments: Attachments = new Map(),
): Promise<void> {
  const root = await members(await rootSlice(bytes, run), run);
  if (root === undefined || !isBitwardenJson(root)) throw notImportable('The file is not an export of Bitwarden.');
  if (parseSliceOr(root.get('encrypted')) === true) {
    const { openProtected } = await import('./bitwarden-protected.ts');
    const opened = await openProtected(root, run.options);
    // Of a protected file inside of a protected one nothing is known, and nobody writes them.
    const inner = await members(await rootSlice(toUtf8(opened).bytes, run), run);
    if (!inner?.has('items')) throw notImportable('What the file protects is not an export of Bitwarden.');
    return await importItems(inner, run, attachments);
  }
  return await importItems(root, run, attachments);
}

/** With attachments: `data.json` and `attachments/<id of the item>/<name>`. */
export async function importBitwardenZip(bytes: Uint8Array, run: ImportRun): Promise<void> {
  const zip = openZip(bytes);
  const data = await zip.readRecords('data.json');
  if (data === undefined) throw notImportable('There is no export of Bitwarden in the zip archive.');
  const attachments = new Map<string, ImportedAttachment[]>();
  for (const path of zip.entries.keys()) {
    const [, id, name] = /^attachments\/([^/]+)\/(.+)$/s.exec(path) ?? [];
    const content = id && name && !name.endsWith('/') ? await zip.read(path) : undefined;
    if (id === undefined || name === undefined || content === undefined) continue;
    const filename = plainName(name);
    const attachment = { filename, mimeType: mimeTypeOf(filename), bytes: content };
    attachments.set(id, [...(attachments.get(id) ?? []), attachment]);
  }
  await importBitwardenJson(toUtf8(data).bytes, run, attachments);
}

async function importItems(root: Map<string, Slice>, run: ImportRun, attachments: Attachments): Promise<void> {
  const items = await elements(root.get('items'), run);
  if (items === undefined) throw notImportable('The file has no list of items.');
  const context: BitwardenContext = { names: await namesOf(root, run), attachments, notice: run.notice };
  for (const item of items) {
    run.add((row) => recordOfItem(parseSlice(item), row, context));
    run.reached(item.end, item.bytes.length);
    const turn = run.spend(2 * (item.end - item.start));
    if (turn) await turn;
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
