import type { ReplyOf } from '../../contract/operation.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { passvault } from '../../contract/passvault.ts';
import { perform } from '../../client/perform.ts';
import { harmless } from '../harmless.ts';
import { isInteractive, type Terminal } from '../terminal.ts';
import { allVaults, findVault } from './find-vault.ts';
import { readEntry } from './find-entry.ts';
import { addressOf, formatGitCredential, type GitCredential } from './git-credential.ts';
import { openVault, type VaultSession } from './session.ts';

/** Entries that git brought, and may take away again. */
const gitTag = 'git';

export interface GitAnswer {
  /** what git reads */
  readonly answer?: string;
  readonly data: object;
  /** what the person at git is told */
  readonly said?: string | undefined;
}

type Login = ReplyOf<(typeof passvault)['autofill']>['entries'][number];

/** The best login for an address, and for the user name where git knows it. */
export async function fill(
  session: VaultSession,
  wanted: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  // git asks for what is no address as well, such as the passphrase of a certificate.
  if (addressOf(wanted) === undefined) return { data: { found: false } };
  const { vaults, open, said } = await openVaults(session, vaultName);
  const usable = open.length > 0 ? open : await unlocked(session, vaults, wanted);
  for (const vault of usable) {
    const [login] = await loginsIn(session, vault, wanted);
    const answer = login && formatGitCredential(login);
    if (login !== undefined && answer !== undefined) return { answer, data: { vaultId: vault.id, ...login } };
  }
  return { data: { found: false }, said: usable.length > 0 ? undefined : said };
}

/** Keeps what worked: a changed password in the entry that has the user name, or a new entry. */
export async function store(
  session: VaultSession,
  worked: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  const { username = '', password = '', host } = worked;
  const siteUrl = addressOf(worked);
  if (siteUrl === undefined || password === '') return { data: { stored: false } };
  const { open, said } = await openVaults(session, vaultName);
  for (const vault of open) {
    const login = (await loginsIn(session, vault, worked)).find((one) => one.username === username);
    if (login?.password === password) return { data: { stored: false, entryId: login.entryId } };
    if (login === undefined) continue;
    await perform(session.client, passvault.updateEntry, { vaultId: vault.id, entryId: login.entryId, password });
    return { data: { stored: true, entryId: login.entryId } };
  }
  const [vault, second] = open;
  if (vault === undefined) return { data: { stored: false }, said };
  if (second !== undefined)
    return { data: { stored: false }, said: 'more than one vault is open: name one by --vault to keep this password.' };
  const title = username === '' ? host : `${host} (${username})`;
  const entry = { vaultId: vault.id, type: 'login' as const, title, username, password, siteUrl, tags: [gitTag] };
  const reply = await perform(session.client, passvault.createEntry, entry);
  return { data: { stored: true, entryId: reply.entry.id } };
}

/** Takes away what was refused, where it came from git and still is the same. */
export async function erase(
  session: VaultSession,
  refused: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  const { open, said } = await openVaults(session, vaultName);
  const erased: string[] = [];
  for (const vault of open) {
    for (const { entryId, password } of await loginsIn(session, vault, refused)) {
      if (refused.password !== undefined && refused.password !== password) continue;
      if (!(await readEntry(session, vault, entryId)).tags.includes(gitTag)) continue;
      await perform(session.client, passvault.deleteEntry, { vaultId: vault.id, entryId });
      erased.push(entryId);
    }
  }
  return { data: { erased }, said };
}

/**
 * Opens the one vault that can be meant, with the master password that is given, or asked for on the terminal behind git's pipes.
 * @returns nothing where neither is possible, or git says that nobody is to be asked
 */
async function unlocked(
  session: VaultSession,
  vaults: readonly VaultSummary[],
  { host }: GitCredential,
): Promise<VaultSummary[]> {
  const [vault, second] = vaults;
  if (vault === undefined || second !== undefined) return [];
  const open = async (terminal: Terminal) => {
    await openVault({ ...session, terminal }, vault);
    return [{ ...vault, open: true }];
  };
  const { env, behindPipes } = session.terminal;
  if ((await session.masterPassword()) !== undefined) return await open(session.terminal);
  if (env['GIT_TERMINAL_PROMPT'] === '0') return [];
  await using terminal = await behindPipes?.();
  if (terminal === undefined || !isInteractive(terminal)) return [];
  terminal.stderr.write(`${harmless(`git asks for the password of ${host}.`)}\n`);
  return await open(terminal);
}

/** Standard input is git's, and nobody is asked for a master password just to keep or forget something. */
async function openVaults(
  session: VaultSession,
  name: string | undefined,
): Promise<{ vaults: VaultSummary[]; open: VaultSummary[]; said: string | undefined }> {
  const vaults = name === undefined ? await allVaults(session) : [await findVault(session, name)];
  const open = vaults.filter((vault) => vault.open);
  const said =
    open.length > 0
      ? undefined
      : `${name ?? 'every vault'} is locked: conclave vault open${name === undefined ? '' : ` ${name}`}`;
  return { vaults, open, said };
}

async function loginsIn(
  { client }: VaultSession,
  { id: vaultId }: VaultSummary,
  wanted: GitCredential,
): Promise<Login[]> {
  const siteUrl = addressOf(wanted);
  if (siteUrl === undefined) return [];
  const { entries } = await perform(client, passvault.autofill, { vaultId, siteUrl });
  return entries.filter(({ username }) => wanted.username === undefined || username === wanted.username);
}
