import { bitwardenItem } from './bitwarden-item.ts';
import type { ExportedEntry, ExportOptions } from './exported-entry.ts';
import { ENTRIES_BETWEEN_TURNS, nextTurn } from './exported-entry.ts';
import { extensionOf } from './extension.ts';

export interface BitwardenExportOptions extends ExportOptions {
  /** Milliseconds since 1970: the time that archived entries get which have none of their own. */
  readonly now: number;
}

/**
 * Bitwarden's unencrypted JSON. The first tag of an entry is its folder. What Bitwarden has no place for (further tags,
 * attachments, a few odd cases) stands in a member `conclave` of the item, which others ignore, so that importing the file here
 * gives the same entries.
 */
export async function exportBitwardenJson(
  entries: Iterable<ExportedEntry>,
  { now, signal }: BitwardenExportOptions,
): Promise<string> {
  const folders = new Map<string, string>();
  const items: string[] = [];
  for (const entry of entries) {
    const item = bitwardenItem(entry, folderIdOf(entry.tags[0], folders), now);
    const extension = extensionOf(entry, item);
    items.push(JSON.stringify(extension ? { ...item, conclave: extension } : item, undefined, 1));
    if (items.length % ENTRIES_BETWEEN_TURNS === 0) await nextTurn(signal);
  }
  const names = [...folders].map(([name, id]) => JSON.stringify({ id, name }));
  return `{"encrypted":false,"folders":[${names.join(',\n')}],\n"items":[${items.join(',\n')}]}\n`;
}

/** Counted, in the shape that importers of others expect of an id. */
function folderIdOf(name: string | undefined, folders: Map<string, string>): string | null {
  if (name === undefined) return null;
  const known = folders.get(name);
  if (known !== undefined) return known;
  const id = `00000000-0000-4000-8000-${(folders.size + 1).toString(16).padStart(12, '0')}`;
  folders.set(name, id);
  return id;
}
