import { perform } from '../../client/perform.ts';
import { passvault } from '../../contract/passvault.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { vaultTitle } from '../../base/vault-names.ts';
import { allVaults } from './find-vault.ts';
import type { VaultSession } from './session.ts';

/** The most names in an answer; nobody reads more. */
const most = 200;

/**
 * Completions for a word. Without a slash: names of vaults (`owner:name` for vaults of others), each with a slash at the end. After a
 * slash: the entries of that vault, if it is open. Names with characters that are unsafe on a command line are left out.
 */
export async function completions({ client, ...session }: VaultSession, word: string): Promise<string[]> {
  const vaults = await allVaults({ client, ...session });
  const slash = word.indexOf('/');
  if (slash < 0)
    return begun(
      vaults.map((vault) => `${vaultTitle(vault)}/`),
      word,
    );
  const title = word.slice(0, slash);
  const called = vaults.filter((vault) => vaultTitle(vault) === title || vault.name === title);
  // As in findVault: a name without owner means another member's vault if no other vault has this name.
  const vault = called.find((one) => vaultTitle(one) === title) ?? (called.length === 1 ? called[0] : undefined);
  if (vault?.open !== true) return [];
  const query = word.slice(slash + 1);
  const { results } = await perform(client, passvault.search, { vaultId: vault.id, ...(query !== '' && { query }) });
  return begun(
    results.map((entry) => `${title}/${entry.title}`),
    word,
  );
}

function begun(names: readonly string[], word: string): string[] {
  const fitting = names.filter((name) => name.startsWith(word) && escapeForTerminal(name) === name);
  return [...new Set(fitting)].sort().slice(0, most);
}
