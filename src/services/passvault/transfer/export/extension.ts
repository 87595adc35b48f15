import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { recordOfItem } from '../import/bitwarden-item.ts';
import { numbersAsText } from '../import/json-parse.ts';
import { Problem } from '../../../../base/problem.ts';
import { toBase64 } from '../../../../shared/attachments/base64.ts';
import type { BitwardenItem } from './bitwarden-item.ts';
import type { ExportedEntry } from './exported-entry.ts';

const MEMBERS = [
  'username',
  'password',
  'siteUrl',
  'totpSecret',
  'urls',
  'cardholderName',
  'cardNumber',
  'expirationDate',
  'cvv',
  'content',
  'notes',
  'customFields',
  'passwordHistory',
] as const satisfies readonly (keyof KeptEntry)[];

/**
 * The parts of an entry that an import of `item` would not restore. The function imports the item to find them, so no part can be
 * forgotten. Members that the import would add are null.
 */
export function extensionOf(entry: ExportedEntry, item: BitwardenItem): Record<string, unknown> | undefined {
  const { entry: back, ...times } = importedAgain(item, entry.tags[0] ?? '');
  const extension: Record<string, unknown> = {};
  for (const name of ['title', 'tags', 'favorite', 'archived'] as const) {
    if (!same(entry[name], back[name])) extension[name] = entry[name];
  }
  for (const name of MEMBERS) if (!same(entry[name], back[name])) extension[name] = entry[name] ?? null;
  for (const name of ['createdAt', 'updatedAt'] as const) {
    if (!same(entry[name], times[name])) extension[name] = entry[name] ?? null;
  }
  if (entry.attachments?.length) {
    extension.attachments = entry.attachments.map(({ filename, mimeType, sizeBytes, content }) => ({
      filename,
      mimeType,
      sizeBytes: content?.length ?? sizeBytes,
      ...(content && { content: toBase64(content) }),
    }));
  }
  return Object.keys(extension).length > 0 ? extension : undefined;
}

interface ImportedAgain {
  readonly entry: Partial<KeptEntry>;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

function importedAgain(item: BitwardenItem, folder: string): ImportedAgain {
  const names = new Map([[item.folderId ?? '', folder]]);
  try {
    const json = numbersAsText(JSON.stringify(item));
    const record = recordOfItem(json, 1, { names, attachments: [], notice: () => undefined });
    return 'skip' in record ? { entry: {} } : record;
  } catch (error) {
    // The entry has something that an import refuses, such as too many fields. The extension holds all of it.
    if (error instanceof Problem) return { entry: {} };
    throw error;
  }
}

/** Compares arrays and plain objects. Members must be in the same order, and may be missing. */
function same(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => same(each, other[at]));
  }
  const [first, second] = [Object.entries(one ?? {}), new Map(Object.entries(other ?? {}))];
  return (
    first.length === second.size && first.every(([name, value]) => second.has(name) && same(value, second.get(name)))
  );
}
