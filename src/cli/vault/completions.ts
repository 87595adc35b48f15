import { perform } from '../../client/perform.ts';
import { passvault } from '../../contract/passvault.ts';
import { harmless } from '../harmless.ts';
import { allVaults } from './find-vault.ts';
import type { VaultSession } from './session.ts';

/** More than anybody looks through. */
const most = 200;

/**
 * Names of vaults that begin as a word does, each with a slash; behind the slash, the entries of the vault, where it is open. Names
 * with characters that no command line should hold are left out.
 */
export async function completions({ client, ...session }: VaultSession, word: string): Promise<string[]> {
  const vaults = await allVaults({ client, ...session });
  const slash = word.indexOf('/');
  if (slash < 0)
    return begun(
      vaults.map(({ name }) => `${name}/`),
      word,
    );
  const vault = vaults.find(({ name, open }) => open && name === word.slice(0, slash));
  if (vault === undefined) return [];
  const query = word.slice(slash + 1);
  const { results } = await perform(client, passvault.search, { vaultId: vault.id, ...(query !== '' && { query }) });
  return begun(
    results.map(({ title }) => `${vault.name}/${title}`),
    word,
  );
}

function begun(names: readonly string[], word: string): string[] {
  const fitting = names.filter((name) => name.startsWith(word) && harmless(name) === name);
  return [...new Set(fitting)].sort().slice(0, most);
}
