import { perform } from '../../../client/perform.ts';
import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import { loadMeasure, type Measure } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { inTurn, newSecret, prompts, WentBack, type Item } from '../../kit/prompts.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Browsing } from './browsing.ts';
import { entryItems, matching } from '../entries/entry-search.ts';
import { actOn } from './entry-actions.ts';
import { vaultTitle } from '../../../base/vault-names.ts';
import { allVaults, entriesText } from '../find-vault.ts';
import { listEntries } from '../entries/listing.ts';
import { addEntry, typesByName } from '../entries/new-entry.ts';
import { formatReference } from '../run/reference.ts';
import { openVault } from '../session.ts';
import type { ListedEntry } from '../vault-tables.ts';

type Choice =
  | { readonly kind: 'entry'; readonly entry: ListedEntry }
  | { readonly kind: 'add' }
  | { readonly kind: 'lock' }
  | { readonly kind: 'vaults' };

/** The search text of a list, kept until the list is shown again. */
interface Filter {
  typed: string;
}

/** Repeats: choose a vault, unlock it, find an entry, act on it. Escape goes back one step, Ctrl-C ends the command. */
export async function browse(browsing: Browsing): Promise<void> {
  const filter = { typed: '' };
  for (;;) {
    const vaults = await browsing.use(allVaults);
    const [only] = vaults;
    const vault =
      only === undefined
        ? await firstVault(browsing)
        : vaults.length === 1
          ? only
          : await pickVault(browsing, vaults, filter);
    const others = vaults.length > 1;
    if (vault === undefined || (await lookInto(browsing, vault, others)) === 'end' || !others) return;
  }
}

async function firstVault({ terminal, use }: Browsing): Promise<VaultSummary | undefined> {
  const asking = prompts(terminal, { back: true });
  return await orBack(async () => {
    if (!(await asking.confirm('You have no vault yet. Create one?'))) return undefined;
    const [name = '', masterPassword = ''] = await inTurn([
      async (before) => await asking.text({ message: 'Name', fallback: before ?? 'Personal' }),
      async () => await newSecret(asking, { message: 'Master password' }),
    ]);
    return await use(
      async ({ client }) => (await perform(client, passvault.createVault, { name, masterPassword })).vault,
    );
  });
}

async function pickVault(
  { terminal }: Browsing,
  vaults: readonly VaultSummary[],
  filter: Filter,
): Promise<VaultSummary | undefined> {
  const items = vaults.map((vault) => ({
    name: escapeForTerminal(`${vaultTitle(vault)}  ${entriesText(vault.entryCount)}${vault.open ? ', open' : ''}`),
    value: vault,
  }));
  const named = (term: string) =>
    items.filter(({ value }) => vaultTitle(value).toLowerCase().includes(term.trim().toLowerCase()));
  return await orBack(async () => await searched(terminal, 'Vault', named, filter));
}

/** Starts a search with the text of the last search in the same list. */
async function searched<T>(
  terminal: Terminal,
  message: string,
  source: (term: string) => readonly Item<T>[],
  filter: Filter,
): Promise<T> {
  const { typed } = filter;
  const noted = (term: string) => {
    filter.typed = term;
    return source(term);
  };
  return await prompts(terminal, { back: true }).search(message, noted, typed);
}

async function lookInto(browsing: Browsing, vault: VaultSummary, others: boolean): Promise<'back' | 'end'> {
  const { terminal, use, say } = browsing;
  if (!vault.open && !(await unlocked(browsing, vault))) return 'back';
  const filter = { typed: '' };
  const measure = await loadMeasure();
  for (;;) {
    const entries = await use(async (session) => await listEntries(session, vault));
    const source = choices(terminal, entries, others, measure);
    const choice = await orBack(
      async () => await searched<Choice>(terminal, escapeForTerminal(vaultTitle(vault)), source, filter),
    );
    if (choice === undefined || choice.kind === 'vaults') return 'back';
    try {
      if (choice.kind === 'lock') {
        await use(async ({ client }) => await perform(client, passvault.lockVault, { vaultId: vault.id }));
        say(`${vaultTitle(vault)} is locked.`);
        return 'end';
      }
      if (choice.kind === 'add') await add(browsing, vault);
      else if (choice.kind === 'entry') await actOn(browsing, vault, choice.entry);
    } catch (error) {
      // A problem with one entry is shown, and browsing goes on.
      if (error instanceof Problem) browsing.warn(error.message);
      else if (!(error instanceof WentBack)) throw error;
    }
  }
}

/** After a wrong password or Escape, the person can choose another vault. */
async function unlocked({ use, warn }: Browsing, vault: VaultSummary): Promise<boolean> {
  try {
    await use(async (session) => await openVault(session, vault));
    return true;
  } catch (error) {
    if (error instanceof WentBack) return false;
    if (!(error instanceof Problem)) throw error;
    warn(error.message);
    return false;
  }
}

function choices(
  { stderr }: Terminal,
  entries: readonly ListedEntry[],
  others: boolean,
  measure: Measure,
): (term: string) => Item<Choice>[] {
  const more: Item<Choice>[] = [
    { name: '+ new entry', value: { kind: 'add' } },
    { name: others ? '< other vaults' : '< leave', value: { kind: 'vaults' } },
    { name: 'x lock and quit', value: { kind: 'lock' } },
  ];
  return (term) => {
    const found = entryItems(matching(entries, term), stderr.columns ?? 80, measure);
    const items = found.map(asChoice);
    return items.length === 0 || term === '' ? [...items, ...more] : items;
  };
}

function asChoice({ value, ...item }: Item<ListedEntry>): Item<Choice> {
  return { ...item, value: { kind: 'entry', entry: value } };
}

async function add({ terminal, use, say }: Browsing, vault: VaultSummary): Promise<void> {
  const asking = prompts(terminal, { back: true });
  const names = Object.keys(typesByName) as (keyof typeof typesByName)[];
  const items = names.map((name) => ({ name, value: name }));
  let kind: keyof typeof typesByName = 'login';
  let title = '';
  await inTurn([
    async () => (kind = await asking.menu('Type of the entry', items)),
    async () =>
      (title = await asking.text({
        message: 'Title',
        ...(title !== '' && { fallback: title }),
        check: (text) => (text.trim() === '' ? 'Must not be empty' : undefined),
      })),
    async () => {
      const name = formatReference({ vault: vault.id, entry: title, field: undefined });
      const wishes = { type: typesByName[kind], assignments: [], editor: undefined, duplicate: false };
      return (await addEntry(terminal, use, name, wishes)).entry.id;
    },
  ]);
  say(`Added ${vaultTitle(vault)}/${title}.`);
}

/** @returns undefined for Escape */
async function orBack<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return undefined;
    throw error;
  }
}
