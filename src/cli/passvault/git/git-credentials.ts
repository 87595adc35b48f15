import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { perform } from '../../../client/perform.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';
import { allVaults, findVault } from '../find-vault.ts';
import { readEntry, type FoundEntry } from '../entries/find-entry.ts';
import { formatGitCredential, type GitCredential } from './git-credential.ts';
import { isAt, placeOf, type GitPlace } from './git-place.ts';
import { openVault, type VaultSession } from '../session.ts';

/** The tag of entries that git added. Only these may be removed by git. */
const gitTag = 'git';

export interface GitAnswer {
  /** the text for git */
  readonly answer?: string;
  readonly data: object;
  /** the message for the person */
  readonly said?: string | undefined;
}

interface Login {
  readonly entryId: string;
  readonly title: string;
  readonly username: string;
  readonly password: string;
  readonly siteUrl: string;
  readonly tags: readonly string[];
}

/** Finds the login for a place, and for the user name if git knows it. */
export async function fill(
  session: VaultSession,
  wanted: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  // git also asks for secrets that have no address, such as the passphrase of a certificate.
  const place = placeOf(wanted);
  if (place === undefined) return { data: { found: false } };
  const { vaults, open, said } = await openVaults(session, vaultName);
  const usable = open.length > 0 ? open : await unlocked(session, vaults, wanted);
  for (const vault of usable) {
    for await (const login of loginsIn(session, vault, place, wanted.username)) {
      const answer = formatGitCredential(login);
      if (answer !== undefined) return { answer, data: { vaultId: vault.id, ...login } };
    }
  }
  return { data: { found: false }, said: usable.length > 0 ? undefined : said };
}

/** Stores credentials that worked. A changed password goes into the entry with the user name; otherwise a new entry is added. */
export async function store(
  session: VaultSession,
  worked: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  const { username = '', password = '', host } = worked;
  const place = placeOf(worked);
  if (place === undefined || password === '') return { data: { stored: false } };
  const { open, said } = await openVaults(session, vaultName);
  for (const vault of open) {
    for await (const login of loginsIn(session, vault, place, username)) {
      if (login.password === password) return { data: { stored: false, entryId: login.entryId } };
      await perform(session.client, passvault.updateEntry, { vaultId: vault.id, entryId: login.entryId, password });
      return { data: { stored: true, entryId: login.entryId } };
    }
  }
  const [vault, second] = open;
  if (vault === undefined) return { data: { stored: false }, said };
  if (second !== undefined)
    return {
      data: { stored: false },
      said: 'more than one vault is open. Name one with --vault to store this password.',
    };
  const title = username === '' ? host : `${host} (${username})`;
  const entry = {
    vaultId: vault.id,
    type: 'login' as const,
    title,
    username,
    password,
    siteUrl: place.address,
    tags: [gitTag],
  };
  const reply = await perform(session.client, passvault.createEntry, entry);
  return { data: { stored: true, entryId: reply.entry.id } };
}

/** Removes refused credentials, if git added the entry and the password is still the same. */
export async function erase(
  session: VaultSession,
  refused: GitCredential,
  vaultName: string | undefined,
): Promise<GitAnswer> {
  const place = placeOf(refused);
  if (place === undefined) return { data: { erased: [] } };
  const { open, said } = await openVaults(session, vaultName);
  const erased: string[] = [];
  for (const vault of open) {
    for await (const { entryId, password, tags } of loginsIn(session, vault, place, refused.username)) {
      if (refused.password !== undefined && refused.password !== password) continue;
      if (!tags.includes(gitTag)) continue;
      await perform(session.client, passvault.deleteEntry, { vaultId: vault.id, entryId });
      erased.push(entryId);
    }
  }
  return { data: { erased }, said };
}

/**
 * Opens the only vault that is possible, with the given master password, or one from a question on the controlling terminal.
 *
 * @returns nothing if neither is possible, or if git forbids questions
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
  terminal.stderr.write(`${escapeForTerminal(`git asks for the password of ${host}.`)}\n`);
  return await open(terminal);
}

/** git uses standard input. Storing or erasing credentials does not justify a question for a master password. */
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

/** The limit is far above the entries for one place. Each entry that is checked counts as read in the audit log. */
const most = 50;

/** The logins of a vault for a place. Those with the place as main address come first. */
async function* loginsIn(
  session: VaultSession,
  vault: VaultSummary,
  place: GitPlace,
  wanted: string | undefined,
): AsyncGenerator<Login> {
  const found = new Map<string, FoundEntry>();
  for (const query of place.spellings) {
    const { results } = await perform(session.client, passvault.search, { vaultId: vault.id, query, type: 'login' });
    for (const one of results) found.set(one.id, one);
  }
  const named = [...found.values()].filter(({ username }) => wanted === undefined || username === wanted);
  const isMain = ({ siteUrl }: FoundEntry) => isAt(place, { uri: siteUrl, match: 'domain' });
  for (const { id } of [...named.filter(isMain), ...named.filter((one) => !isMain(one))].slice(0, most)) {
    const {
      title,
      username = '',
      password = '',
      siteUrl = '',
      urls = [],
      tags,
      archived,
    } = await readEntry(session, vault, id);
    // An address in the list has its own match rule, so the main address is added only if it is not in the list.
    const main = urls.some(({ uri }) => uri === siteUrl) ? [] : [{ uri: siteUrl, match: 'domain' as const }];
    if (archived || ![...main, ...urls].some((address) => isAt(place, address))) continue;
    yield { entryId: id, title, username, password, siteUrl, tags };
  }
}
