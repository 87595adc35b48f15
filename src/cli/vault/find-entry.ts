import type { Entry, EntryType, VaultSummary } from '../../contract/passvault/entry.ts';
import { entries as passvault } from '../../contract/passvault/entries.ts';
import { Problem } from '../../problem.ts';
import { findVault, isId, oneNamed } from './find-vault.ts';
import { parseEntryName } from './reference.ts';
import { performOn, type VaultSession } from './session.ts';

/** What is known of an entry without its secrets. */
export interface FoundEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly username: string;
  readonly siteUrl: string;
}

export interface NamedEntry {
  readonly vault: VaultSummary;
  readonly found: FoundEntry;
  /** where the name was a reference with one */
  readonly field: string | undefined;
}

const longestQuery = 1_000;

/**
 * The entry that `<vault>/<entry>` or a reference names, without reading it.
 *
 * @throws Problem conflict AMBIGUOUS, missing VAULT_NOT_FOUND or ENTRY_NOT_FOUND, the latter with similar ones
 */
export async function findEntry(session: VaultSession, name: string): Promise<NamedEntry> {
  const { vault: vaultName, entry, field } = parseEntryName(name);
  const vault = await findVault(session, vaultName);
  return { vault, found: await entryNamed(session, vault, entry), field };
}

/** The same, read: its owner sees that in the audit log. */
export async function readNamedEntry(
  session: VaultSession,
  name: string,
): Promise<{ vault: VaultSummary; entry: Entry; field: string | undefined }> {
  const { vault, found, field } = await findEntry(session, name);
  return { vault, entry: await readEntry(session, vault, found.id), field };
}

export async function readEntry(session: VaultSession, vault: VaultSummary, entryId: string): Promise<Entry> {
  const { entry } = await performOn(session, vault, passvault.showEntry, { vaultId: vault.id, entryId });
  return entry;
}

export async function entryNamed(session: VaultSession, vault: VaultSummary, name: string): Promise<FoundEntry> {
  // The server searches ten thousand entries in the time that sending them all would take a hundred times over.
  const { results } = await performOn(session, vault, passvault.search, {
    vaultId: vault.id,
    query: name.slice(0, longestQuery),
  });
  const byId = isId(name) ? await entriesOf(session, vault) : [];
  const all = [...new Map([...results, ...byId].map((one) => [one.id, one])).values()];
  const found = oneNamed(name, all.map(labelled));
  if (found !== undefined) return found;
  throw new Problem(
    'missing',
    'ENTRY_NOT_FOUND',
    `${JSON.stringify(vault.name)} has no entry ${JSON.stringify(name)}.${results.length > 0 ? ' Similar ones:' : ''}`,
    { fields: results.slice(0, 10).map((one) => ({ path: one.id, message: entryLabel(one) })) },
  );
}

async function entriesOf(session: VaultSession, vault: VaultSummary): Promise<FoundEntry[]> {
  const { entries } = await performOn(session, vault, passvault.listEntries, { vaultId: vault.id });
  return entries.map(({ id, entryType, title, username, siteUrl }) => ({
    id,
    type: entryType,
    title,
    username,
    siteUrl,
  }));
}

function labelled(entry: FoundEntry): FoundEntry & { readonly label: string } {
  return { ...entry, label: entryLabel(entry) };
}

function entryLabel({ title, username, siteUrl }: FoundEntry): string {
  return [title, username, siteUrl].filter((part) => part !== '').join(', ');
}
