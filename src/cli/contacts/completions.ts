import { perform, type Caller } from '../../client/perform.ts';
import { contacts } from '../../contract/contacts.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';

/** What has a meaning of its own beside an address. */
const special = /[",;:<>()[\]\\@]/;

/**
 * What a shell may put in the place of a word: addresses that begin so, and names that do, with their address. Names with characters that
 * are unsafe on a command line are left out.
 */
export async function addressesFor(client: Caller, word: string): Promise<string[]> {
  const q = word.trim();
  if (q === '') return [];
  const { matches } = await perform(client, contacts.complete, { q });
  return begun(
    matches.flatMap(({ name, address }) => (special.test(name) ? address : [address, `${name} <${address}>`])),
    word,
  );
}

/** Usernames of members of this node whom one knows. */
export async function usernamesFor(client: Caller, word: string): Promise<string[]> {
  const q = word.trim();
  if (q === '') {
    const { cards } = await perform(client, contacts.listCards, { bookId: 'members', limit: 100 });
    return begun(
      cards.map(({ displayName }) => displayName),
      word,
    );
  }
  const { matches } = await perform(client, contacts.complete, { q });
  return begun(
    matches.flatMap(({ username }) => username ?? []),
    word,
  );
}

function begun(names: readonly string[], word: string): string[] {
  const fitting = names.filter((name) => name.startsWith(word) && escapeForTerminal(name) === name);
  return [...new Set(fitting)];
}
