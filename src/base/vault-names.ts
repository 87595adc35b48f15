import type { PropertyRecord, VaultSummary } from '../contract/passvault/entry.ts';
import { parsedUrl } from './parsed-url.ts';

/** What names of password vaults and their entries mean. The server and the command line go by these same rules. */

const wholeId = /^[0-9a-f]{32}$/i;
/** Shorter beginnings of ids could also be words. */
const partOfId = /^[0-9a-f]{8,31}$/i;

export type VaultCalled = Pick<VaultSummary, 'name' | 'role' | 'ownerUsername'>;

/** The name of a vault for people. The name of another member's vault begins with its owner. */
export function vaultTitle({ name, role, ownerUsername }: VaultCalled): string {
  return role === 'owner' ? name : `${ownerUsername}:${name}`;
}

/**
 * The vaults that a name or the first eight or more digits of an id can mean. Another member's vault is `owner:name`, or its name alone if
 * no own vault has this name. A shared vault can therefore never take the place of an own vault.
 */
export function vaultsNamed<T extends VaultCalled & { readonly id: string }>(name: string, vaults: readonly T[]): T[] {
  const called = (title: (vault: T) => string, among: readonly T[]) =>
    allNamed(
      name,
      among.map((vault) => ({ id: vault.id, title: title(vault), vault })),
    ).map(({ vault }) => vault);
  const titled = called(vaultTitle, vaults);
  if (titled.length > 0) return titled;
  return called(
    (vault) => vault.name,
    vaults.filter(({ role }) => role !== 'owner'),
  );
}

/** The entries that a name means: by title or id first, otherwise by the host of an address. */
export function entriesNamed<T extends Pick<PropertyRecord, 'id' | 'title' | 'siteUrl'>>(
  name: string,
  entries: readonly T[],
): T[] {
  const titled = allNamed(name, entries);
  const host = name.toLowerCase();
  return titled.length > 0 ? titled : entries.filter(({ siteUrl }) => hostOf(siteUrl) === host);
}

/** Of entries in several vaults, an exact title wins over the title in another case, or an address, in another vault. */
export function exactFirst<T extends { readonly title: string }>(name: string, found: readonly T[]): readonly T[] {
  const typed = name.normalize('NFC');
  const exact = found.filter(({ title }) => title.normalize('NFC') === typed);
  return exact.length > 0 ? exact : found;
}

/**
 * The items that a name can mean: one item by its id; otherwise by its exact title; otherwise by its title in another case, or the
 * beginning of its id. A title that is also the beginning of another item's id means both. Composed and decomposed accents are equal.
 */
export function allNamed<T extends { readonly id: string; readonly title: string }>(
  name: string,
  all: readonly T[],
): T[] {
  const typed = name.normalize('NFC');
  const wanted = typed.toLowerCase();
  const whole = wholeId.test(name) ? all.find(({ id }) => id === wanted) : undefined;
  if (whole !== undefined) return [whole];
  const exact = all.filter(({ title }) => title.normalize('NFC') === typed);
  const titled = exact.length > 0 ? exact : all.filter(({ title }) => title.normalize('NFC').toLowerCase() === wanted);
  const begun = partOfId.test(name) ? all.filter(({ id }) => id.startsWith(wanted)) : [];
  return [...new Set([...titled, ...begun])];
}

export function isId(name: string): boolean {
  return wholeId.test(name) || partOfId.test(name);
}

function hostOf(siteUrl: string): string | undefined {
  const url = siteUrl.includes('://') ? siteUrl : `https://${siteUrl}`;
  return parsedUrl(url)?.host.replace(/^www\./, '');
}
