import { oneTimeCode } from '../../../client/one-time-code.ts';
import type { Entry, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { aside } from '../../kit/aside.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { prompts, type Item } from '../../kit/prompts.ts';
import type { Browsing } from './browsing.ts';
import { editedEntry, sender } from '../entries/change-entry.ts';
import { changedWords } from '../entries/entry-changes.ts';
import { clearAfter } from '../clipboard/clipboard-clearing.ts';
import { copySecret } from '../clipboard/copy-secret.ts';
import { describeEntry, historyTable } from '../entries/entry-details.ts';
import { fieldOf, mainFieldOf } from '../entries/entry-fields.ts';
import { editableOf } from '../entries/entry-text.ts';
import { totpSecretOf } from '../entries/field-value.ts';
import { readEntry } from '../entries/find-entry.ts';
import { vaultTitle } from '../../../base/vault-names.ts';
import { performOn } from '../session.ts';
import type { ListedEntry } from '../vault-tables.ts';
import { spaced } from './watch-code.ts';
import { Problem } from '../../../base/problem.ts';
import { startProgram } from '../../kit/start-program.ts';

type Action = (browsing: Browsing, vault: VaultSummary, entry: Entry) => Promise<void>;

/** Asks for an action on an entry, and performs it. */
export async function actOn(browsing: Browsing, vault: VaultSummary, { id }: ListedEntry): Promise<void> {
  const entry = await browsing.use(async (session) => await readEntry(session, vault, id));
  const action = await prompts(browsing.terminal, { back: true }).menu(
    escapeForTerminal(entry.title),
    actionsFor(entry),
  );
  await action(browsing, vault, entry);
}

function actionsFor(entry: Entry): Item<Action>[] {
  const main = mainFieldOf(entry.type);
  const has = (value: string | undefined) => (value ?? '') !== '';
  const items: [boolean, string, Action][] = [
    [hasMain(entry, main), `copy ${main}`, copyField(main)],
    [has(entry.username), `copy user name  ${escapeForTerminal(entry.username ?? '')}`, copyField('username')],
    [has(entry.totpSecret), 'copy one-time code', copyCode],
    [true, 'show', show],
    [/^https?:\/\//i.test(entry.siteUrl ?? ''), `open ${escapeForTerminal(entry.siteUrl ?? '')}`, openAddress],
    [true, 'edit', edit],
    [(entry.passwordHistory ?? []).length > 0, 'earlier passwords', showHistory],
    [true, 'delete', remove],
  ];
  return items.filter(([possible]) => possible).map(([, name, value]) => ({ name, value }));
}

function hasMain(entry: Entry, name: string): boolean {
  try {
    return fieldOf(entry, name).value !== '';
  } catch {
    return false;
  }
}

function copyField(name: string): Action {
  return async ({ terminal, say }, _, entry) => {
    const { said } = await copySecret(terminal, `${name} of ${entry.title}`, fieldOf(entry, name).value, clearAfter);
    say(said);
  };
}

const copyCode: Action = async ({ terminal, say }, _, entry) => {
  const { code, remainingSeconds } = oneTimeCode(totpSecretOf(entry), Date.now());
  say(`${spaced(code)}, for ${remainingSeconds} s.`);
  const { said } = await copySecret(terminal, `one-time code of ${entry.title}`, code, clearAfter);
  say(said);
};

const show: Action = async ({ terminal, drawn }, vault, entry) => {
  const text = await drawn((screen) => describeEntry(screen, entry, vaultTitle(vault), { show: true }));
  await aside(terminal, text);
};

const showHistory: Action = async ({ terminal, drawn }, _, entry) => {
  await aside(terminal, await drawn((screen) => historyTable(screen, entry, { show: true })));
};

const edit: Action = async ({ terminal, use, say, warn }, vault, entry) => {
  const heading = `${entry.title} in ${vaultTitle(vault)}`;
  const changed = await editedEntry(
    terminal,
    { entry: editableOf(entry), type: entry.type, heading },
    { allowDisk: false, warn },
    sender(use, vault, entry),
  );
  say(changed === undefined ? 'Nothing was changed.' : `Changed ${changedWords(changed.fields)}.`);
};

const remove: Action = async ({ terminal, use, say }, vault, entry) => {
  if (!(await prompts(terminal, { back: true }).confirm(`Delete ${escapeForTerminal(entry.title)} for ever?`))) return;
  await use(
    async (session) => await performOn(session, vault, passvault.deleteEntry, { vaultId: vault.id, entryId: entry.id }),
  );
  say(`Deleted ${entry.title}.`);
};

const openAddress: Action = async ({ terminal, say }, _, { siteUrl = '' }) => {
  say(`Opened ${await openInBrowser(terminal.env, siteUrl)}`);
};

/** A program that cannot open an address fails within this time. A browser that was started may run until it is closed. */
const patienceMs = 2_000;

/**
 * Opens an address in the desktop's browser. @returns the address as the browser receives it
 * @throws Problem unavailable BROWSER_UNAVAILABLE
 */
async function openInBrowser(env: NodeJS.ProcessEnv, siteUrl: string): Promise<string> {
  // Parsed as a URL, so that only an address reaches the program.
  const address = new URL(siteUrl).href;
  const command = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open';
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = startProgram(command, [address], { detached: true, stdio: 'ignore', env });
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const end = (said: string | undefined) => {
      clearTimeout(timer);
      resolve(said);
    };
    child.once('error', () => end(`${command} is not installed, so it cannot open ${address}`));
    // explorer.exe always exits with 1.
    const fine = (code: number | null) => code === 0 || process.platform === 'win32';
    child.once('exit', (code) => end(fine(code) ? undefined : `${command} could not open ${address}`));
    child.unref();
  });
  if (failure !== undefined) throw new Problem('unavailable', 'BROWSER_UNAVAILABLE', failure);
  return address;
}
