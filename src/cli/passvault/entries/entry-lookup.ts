import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import { entryNamed, readEntry } from './find-entry.ts';
import { findVault } from '../find-vault.ts';
import type { EntryLookup } from '../run/resolve-references.ts';
import type { VaultSession } from '../session.ts';

/** Finds entries for references. Each vault is looked up only once. */
export function lookUp(session: VaultSession): EntryLookup {
  const vaults = new Map<string, Promise<VaultSummary>>();
  return async (vaultName, entryName) => {
    const finding = vaults.get(vaultName) ?? findVault(session, vaultName);
    vaults.set(vaultName, finding);
    const vault = await finding;
    return await readEntry(session, vault, (await entryNamed(session, vault, entryName)).id);
  };
}
