import type { PropertyRecord, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { allVaults } from '../find-vault.ts';
import { typesByName } from './new-entry.ts';
import { performOn, type VaultSession } from '../session.ts';
import type { ListedEntry } from '../vault-tables.ts';

export interface EntryFilter {
  readonly tag?: string | undefined;
  readonly type?: string | undefined;
  readonly favorite?: boolean | undefined;
  readonly archived?: boolean | undefined;
}

/** Lists the entries of a vault by title, without their secrets. */
export async function listEntries(
  session: VaultSession,
  vault: VaultSummary,
  filter: EntryFilter = {},
): Promise<ListedEntry[]> {
  const { entries } = await performOn(session, vault, passvault.listEntries, { vaultId: vault.id });
  const type = typeOf(filter.type);
  return entries
    .filter((entry) => filter.archived === true || !entry.archived)
    .filter(
      (entry) =>
        filter.tag === undefined || entry.tags.some((tag) => tag.normalize('NFC') === filter.tag?.normalize('NFC')),
    )
    .filter((entry) => type === undefined || entry.entryType === type)
    .filter((entry) => filter.favorite !== true || entry.favorite)
    .map(listed)
    .sort((one, other) => compare(one.title, other.title));
}

function listed({ entryType, ...entry }: PropertyRecord): ListedEntry {
  return { ...entry, type: entryType };
}

export interface FoundIn {
  readonly vault: Pick<VaultSummary, 'id' | 'name' | 'role' | 'ownerUsername'>;
  readonly entry: ListedEntry;
}

/** Finds entries that contain a text, in the given vaults or in all open vaults. @returns also the vaults that were not searched */
export async function findEntries(
  session: VaultSession,
  query: string,
  { tag, type, favorite }: EntryFilter,
  only: readonly VaultSummary[] | undefined,
): Promise<{ found: FoundIn[]; locked: VaultSummary[] }> {
  const vaults = only ?? (await allVaults(session));
  const locked = only === undefined ? vaults.filter(({ open }) => !open) : [];
  const found: FoundIn[] = [];
  const wanted = typeOf(type);
  for (const vault of vaults.filter((one) => !locked.includes(one))) {
    const { results } = await performOn(session, vault, passvault.search, {
      vaultId: vault.id,
      ...(query !== '' && { query }),
      ...(wanted !== undefined && { type: wanted }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(favorite === true && { favorite }),
    });
    const sorted = results.toSorted((one, other) => compare(one.title, other.title));
    const { id, name, role, ownerUsername } = vault;
    found.push(...sorted.map((entry) => ({ vault: { id, name, role, ownerUsername }, entry })));
  }
  return { found, locked };
}

function typeOf(name: string | undefined) {
  return name === undefined ? undefined : typesByName[name as keyof typeof typesByName];
}

function compare(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}
