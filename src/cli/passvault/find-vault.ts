import { perform } from '../../client/perform.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { vaults as passvault } from '../../contract/passvault/vaults.ts';
import { Problem } from '../../base/problem.ts';
import { allNamed, vaultsNamed, vaultTitle } from '../../base/vault-names.ts';
import { ambiguous, type Candidate } from '../kit/pick.ts';
import type { VaultSession } from './session.ts';

/** Lists the member's own vaults and those that others share, by name. Of vaults with the same name, their own comes first. */
export async function allVaults({ client }: VaultSession): Promise<VaultSummary[]> {
  const { vaults } = await perform(client, passvault.listVaults, {});
  const rank = ({ role }: VaultSummary) => (role === 'owner' ? 0 : 1);
  return vaults.toSorted((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : rank(one) - rank(other),
  );
}

/**
 * Finds a vault as `vaultsNamed` does.
 *
 * @throws Problem conflict AMBIGUOUS that lists the candidates, missing VAULT_NOT_FOUND
 */
export async function findVault(session: VaultSession, name: string): Promise<VaultSummary> {
  const vaults = await allVaults(session);
  const found = vaultsNamed(name, vaults);
  if (found.length > 1)
    throw ambiguous(
      name,
      found.map((vault) => ({ id: vault.id, label: vaultLabel(vault) })),
    );
  if (found[0] !== undefined) return found[0];
  const names = vaults.slice(0, 10).map((vault) => ({ path: vault.id, message: vaultLabel(vault) }));
  const list = names.length === 0 ? 'You have no vault yet. Create one with: conclave vault create' : 'There are:';
  throw new Problem('missing', 'VAULT_NOT_FOUND', `There is no vault ${JSON.stringify(name)}. ${list}`, {
    fields: names,
  });
}

/**
 * As `findVault`, for actions that only the owner may do.
 *
 * @throws Problem forbidden NOT_VAULT_OWNER, which names the owner
 */
export async function findOwnVault(session: VaultSession, name: string): Promise<VaultSummary> {
  const vault = await findVault(session, name);
  if (vault.role === 'owner') return vault;
  const { name: title, ownerUsername } = vault;
  const message = `${JSON.stringify(title)} belongs to ${ownerUsername}, who shares it with you. Only ${ownerUsername} can do this.`;
  throw new Problem('forbidden', 'NOT_VAULT_OWNER', message);
}

interface Named extends Candidate {
  readonly title: string;
}

/**
 * Finds one item by its id; otherwise by its exact title; otherwise by its title in another case, or the beginning of its id. A title that
 * is also the beginning of another item's id is ambiguous.
 *
 * @throws Problem conflict AMBIGUOUS
 */
export function oneNamed<T extends Named>(name: string, all: readonly T[]): T | undefined {
  const found = allNamed(name, all);
  if (found.length > 1) throw ambiguous(name, found);
  return found[0];
}

export function entriesText(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function vaultLabel(vault: VaultSummary): string {
  return `${vaultTitle(vault)}, ${entriesText(vault.entryCount)}${vault.role === 'owner' ? '' : ', shared with you'}`;
}

/** The vault to use if none is named: the only one. @throws Problem missing VAULT_NOT_FOUND, invalid USAGE */
export function theOnly(vaults: readonly VaultSummary[]): VaultSummary {
  const [vault] = vaults;
  if (vault === undefined)
    throw new Problem('missing', 'VAULT_NOT_FOUND', 'You have no vault yet. Create one with: conclave vault create');
  if (vaults.length === 1) return vault;
  throw new Problem('invalid', 'USAGE', 'Name one of your vaults:', {
    fields: vaults.map((each) => ({ path: each.id, message: vaultTitle(each) })),
  });
}
