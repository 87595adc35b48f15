import { perform } from '../../client/perform.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { vaults as passvault } from '../../contract/passvault/vaults.ts';
import { Problem } from '../../problem.ts';
import { ambiguous, type Candidate } from '../pick.ts';
import type { VaultSession } from './session.ts';

const wholeId = /^[0-9a-f]{32}$/i;
/** Shorter ones are words as well. */
const partOfId = /^[0-9a-f]{8,31}$/i;

/** Its own vaults and those that others share, in the order of their names. */
export async function allVaults({ client }: VaultSession): Promise<VaultSummary[]> {
  const { vaults } = await perform(client, passvault.listVaults, {});
  return vaults.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

/**
 * The vault that a name, or the beginning of an id from eight digits on, means.
 *
 * @throws Problem conflict AMBIGUOUS that lists the candidates, missing VAULT_NOT_FOUND
 */
export async function findVault(session: VaultSession, name: string): Promise<VaultSummary> {
  const vaults = await allVaults(session);
  const labelled = vaults.map((vault) => ({ ...vault, title: vault.name, label: vaultLabel(vault) }));
  const found = oneNamed(name, labelled);
  if (found !== undefined) return found;
  const names = vaults.slice(0, 10).map((vault) => ({ path: vault.id, message: vaultLabel(vault) }));
  const list = names.length === 0 ? 'There is none yet: conclave vault create makes one.' : 'There are:';
  throw new Problem('missing', 'VAULT_NOT_FOUND', `There is no vault ${JSON.stringify(name)}. ${list}`, {
    fields: names,
  });
}

interface Named extends Candidate {
  readonly title: string;
}

/**
 * What a name means among others: the one with this id; else what has this title, or, where nothing has, this title in another case,
 * or whose id begins so. A title that is also the beginning of another's id decides nothing by itself.
 *
 * @throws Problem conflict AMBIGUOUS
 */
export function oneNamed<T extends Named>(name: string, all: readonly T[]): T | undefined {
  const wanted = name.toLowerCase();
  const whole = wholeId.test(name) ? all.find(({ id }) => id === wanted) : undefined;
  if (whole !== undefined) return whole;
  const exact = all.filter(({ title }) => title === name);
  const titled = exact.length > 0 ? exact : all.filter(({ title }) => title.toLowerCase() === wanted);
  const begun = partOfId.test(name) ? all.filter(({ id }) => id.startsWith(wanted)) : [];
  const found = [...new Set([...titled, ...begun])];
  if (found.length > 1) throw ambiguous(name, found);
  return found[0];
}

export function isId(name: string): boolean {
  return wholeId.test(name) || partOfId.test(name);
}

export function entriesText(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function vaultLabel({ name, role, entryCount }: VaultSummary): string {
  return `${name}, ${entriesText(entryCount)}${role === 'owner' ? '' : ', shared with you'}`;
}
