import { bitwardenItem } from './bitwarden-item.ts';
import type { ExportedEntry, ExportOptions } from './exported-entry.ts';
import { ENTRIES_BETWEEN_TURNS, nextTurn } from './exported-entry.ts';
import { extensionOf } from './extension.ts';

export interface BitwardenExportOptions extends ExportOptions {
  /** Milliseconds since 1970. Archived entries without a time of their own get this time. */
  readonly now: number;
}

/**
 * Bitwarden's unencrypted JSON. The first tag of an entry is its folder. Bitwarden has no place for further tags, attachments and a few
 * rare cases. A member `conclave` of the item holds them; other programs ignore it. So importing the file here restores the same entries.
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

/** A counter, in the form of an id that other programs' importers expect. */
function folderIdOf(name: string | undefined, folders: Map<string, string>): string | null {
  if (name === undefined) return null;
  const known = folders.get(name);
  if (known !== undefined) return known;
  const id = `00000000-0000-4000-8000-${(folders.size + 1).toString(16).padStart(12, '0')}`;
  folders.set(name, id);
  return id;
}
