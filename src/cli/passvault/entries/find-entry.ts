import { perform } from '../../../client/perform.ts';
import type { Entry, EntryType, VaultSummary } from '../../../contract/passvault/entry.ts';
import { entries as passvault } from '../../../contract/passvault/entries.ts';
import { Problem } from '../../../base/problem.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { ambiguous } from '../../kit/pick.ts';
import { prompts } from '../../kit/prompts.ts';
import { isInteractive } from '../../kit/terminal.ts';
import { entriesNamed, exactFirst, isId, vaultsNamed, vaultTitle } from '../../../base/vault-names.ts';
import { allVaults, findVault } from '../find-vault.ts';
import { isReference, parseEntryName } from '../run/reference.ts';
import { performOn, type VaultSession } from '../session.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';

/** The data of an entry that is known without its secrets. */
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
  /** the field, if the name was a reference with one */
  readonly field: string | undefined;
}

/**
 * Finds the entry that `<vault>/<entry>` or a reference names, without reading it. A title, host or id alone finds an entry in the open
 * vaults. If there are several, a person at the terminal chooses one.
 *
 * @throws Problem conflict AMBIGUOUS, missing VAULT_NOT_FOUND or ENTRY_NOT_FOUND, the latter with similar ones
 */
export async function findEntry(session: VaultSession, name: string): Promise<NamedEntry> {
  if (!name.includes('/')) return { ...(await findInOpenVaults(session, name)), field: undefined };
  const { vault: vaultName, entry, field } = parseEntryName(name);
  try {
    const vault = await findVault(session, vaultName);
    return { vault, found: await entryNamed(session, vault, entry), field };
  } catch (error) {
    throw await explained(session, error, isReference(name) ? undefined : name);
  }
}

/** If the part before the last slash names an entry, the part after it was meant as a field. */
async function explained(session: VaultSession, error: unknown, name: string | undefined): Promise<unknown> {
  const unknown = error instanceof Problem && ['VAULT_NOT_FOUND', 'ENTRY_NOT_FOUND'].includes(error.code);
  const slash = name?.lastIndexOf('/') ?? -1;
  if (!unknown || name === undefined || slash < 1) return error;
  const [rest, field] = [name.slice(0, slash), name.slice(slash + 1)];
  if (field === '' || !(await isEntry(session, rest))) return error;
  const message = `There is no entry ${JSON.stringify(name)}, but there is ${JSON.stringify(rest)}. Name its field with: --field ${/^[\w-]+$/.test(field) ? field : JSON.stringify(field)}`;
  return new Problem('missing', 'ENTRY_NOT_FOUND', message, { cause: error });
}

async function isEntry(session: VaultSession, name: string): Promise<boolean> {
  if (!name.includes('/')) return (await inOpenVaults(session, name)).found.length > 0;
  const { vault: vaultName, entry } = parseEntryName(name);
  const [vault] = vaultsNamed(vaultName, await allVaults(session));
  return vault !== undefined && vault.open && (await entriesLike(session, vault, entry)).found.length > 0;
}

interface Placed extends FoundEntry {
  readonly vault: VaultSummary;
  readonly label: string;
}

/** @throws Problem conflict AMBIGUOUS, missing ENTRY_NOT_FOUND, unauthenticated VAULT_LOCKED if no vault is open */
async function findInOpenVaults(
  session: VaultSession,
  name: string,
): Promise<{ vault: VaultSummary; found: FoundEntry }> {
  const { found, similar, locked, open } = await inOpenVaults(session, name);
  const one = await oneOf(session, name, found);
  if (one !== undefined) return { vault: one.vault, found: one };
  const closed = locked.slice(0, 10).map((vault) => ({ path: vault.id, message: `${vaultTitle(vault)} is locked` }));
  if (open.length === 0 && locked.length > 0)
    throw new Problem(
      'unauthenticated',
      'VAULT_LOCKED',
      `Cannot search for ${JSON.stringify(name)}: no vault is open.`,
      {
        fields: closed,
      },
    );
  const also = similar.slice(0, 10).map(({ id, label }) => ({ path: id, message: label }));
  const message = `No open vault has an entry ${JSON.stringify(name)}.${also.length > 0 ? ' Similar ones:' : ''}`;
  throw new Problem('missing', 'ENTRY_NOT_FOUND', message, { fields: [...also, ...closed] });
}

async function inOpenVaults(session: VaultSession, name: string) {
  const vaults = await allVaults(session);
  const open = vaults.filter((vault) => vault.open);
  const found: Placed[] = [];
  const similar: Placed[] = [];
  for (const vault of open) {
    const here = await entriesLike(session, vault, name);
    const placed = (entry: FoundEntry) => ({ ...entry, vault, label: `${vaultTitle(vault)}/${entryLabel(entry)}` });
    found.push(...here.found.map(placed));
    similar.push(...here.similar.map(placed));
  }
  return { found: exactFirst(name, found), similar, open, locked: vaults.filter((vault) => !vault.open) };
}

/** @throws Problem conflict AMBIGUOUS if nobody can be asked */
async function oneOf<T extends FoundEntry & { readonly label: string }>(
  { terminal }: VaultSession,
  name: string,
  found: readonly T[],
): Promise<T | undefined> {
  if (found.length < 2) return found[0];
  if (!isInteractive(terminal)) throw ambiguous(name, found);
  const items = found.map((one) => ({ name: escapeForTerminal(one.label), value: one }));
  return await prompts(terminal).menu(`Which ${escapeForTerminal(JSON.stringify(name))}?`, items);
}

/** As `findEntry`, but reads the entry. Its owner sees the read in the audit log. */
export async function readNamedEntry(
  session: VaultSession,
  name: string,
): Promise<{ vault: VaultSummary; entry: Entry; field: string | undefined }> {
  const direct = await readAtOnce(session, name);
  if (direct !== undefined) return direct;
  const { vault, found, field } = await findEntry(session, name);
  return { vault, entry: await readEntry(session, vault, found.id), field };
}

/** What says that a name alone doesn't lead to one entry, or can be none, or that the server is of a version that finds none by name. */
const unfound = new Set([
  'VAULT_NOT_FOUND',
  'ENTRY_NOT_FOUND',
  'NAME_AMBIGUOUS',
  'VAULT_LOCKED',
  'VALIDATION_ERROR',
  'NOT_FOUND',
]);

/** In one request. Undefined where someone has to be asked, or told more than the server tells. */
async function readAtOnce({ client }: VaultSession, name: string) {
  const { vault, entry, field } = name.includes('/')
    ? parseEntryName(name)
    : { vault: undefined, entry: name, field: undefined };
  try {
    return { ...(await perform(client, passvault.showNamedEntry, { vault, entry })), field };
  } catch (error) {
    if (error instanceof Problem && unfound.has(error.code)) return undefined;
    throw error;
  }
}

export async function readEntry(session: VaultSession, vault: VaultSummary, entryId: string): Promise<Entry> {
  const { entry } = await performOn(session, vault, passvault.showEntry, { vaultId: vault.id, entryId });
  return entry;
}

export async function entryNamed(session: VaultSession, vault: VaultSummary, name: string): Promise<FoundEntry> {
  const { found, similar } = await entriesLike(session, vault, name);
  const one = await oneOf(session, name, found);
  if (one !== undefined) return one;
  throw new Problem(
    'missing',
    'ENTRY_NOT_FOUND',
    `${JSON.stringify(vaultTitle(vault))} has no entry ${JSON.stringify(name)}.${similar.length > 0 ? ' Similar ones:' : ''}`,
    { fields: similar.slice(0, 10).map((entry) => ({ path: entry.id, message: entryLabel(entry) })) },
  );
}

/** The entries that a name means in a vault, and those with a part of it in their fields. */
async function entriesLike(session: VaultSession, vault: VaultSummary, name: string) {
  // Searching on the server is a hundred times faster than sending ten thousand entries.
  const { results: similar } = await performOn(session, vault, passvault.search, {
    vaultId: vault.id,
    query: name.slice(0, passvaultLimits.query),
  });
  const byId = isId(name) ? await entriesOf(session, vault) : [];
  const all = [...new Map([...similar, ...byId].map((one) => [one.id, one])).values()].map(labelled);
  return { found: entriesNamed(name, all), similar };
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
