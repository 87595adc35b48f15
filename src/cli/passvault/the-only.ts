import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { Problem } from '../../problem.ts';

/** The vault that is meant where none is named: the only one. @throws Problem missing VAULT_NOT_FOUND, invalid USAGE */
export function theOnly(vaults: readonly VaultSummary[]): VaultSummary {
  const [vault] = vaults;
  if (vault === undefined)
    throw new Problem('missing', 'VAULT_NOT_FOUND', 'There is no vault yet: conclave vault create makes one.');
  if (vaults.length === 1) return vault;
  throw new Problem('invalid', 'USAGE', 'Name one of your vaults:', {
    fields: vaults.map(({ id, name }) => ({ path: id, message: name })),
  });
}
