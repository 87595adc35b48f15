import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside as showAside } from '../../kit/aside.ts';
import { aside } from '../../kit/full-screen.ts';
import { Cancelled, prompts, WentBack } from '../../kit/prompts.ts';
import { waitFor, type Teller } from '../../kit/waiting.ts';
import { parseRemotePath } from '../paths.ts';
import { linkWarning } from '../sharing/link-words.ts';
import { makeLink } from '../sharing/making-links.ts';
import { get as getFiles } from '../transfer/getting.ts';
import { interruptibly } from '../transfer/interruption.ts';
import type { Failures, LeftOut } from '../transfer/outcome.ts';
import { put as putFiles } from '../transfer/putting.ts';
import { receivedText, sentText, warningsOf } from '../transfer/reporting.ts';
import type { Browsing } from './browsing.ts';
import type { Row } from './rows.ts';

/** The folder that the person is in. */
export interface Here {
  readonly folderId: string;
  readonly containerId: string;
  readonly name: string;
}

export interface Acted {
  /** what to tell the person */
  readonly note: string;
  /** whether the list is another one now */
  readonly changed: boolean;
}

const nothing: Acted = { note: '', changed: false };

type Chosen = Exclude<Row, { readonly kind: 'container' }>;

/** Does what a key says with what is chosen. Other keys do nothing. */
export async function act(full: Browsing, key: string, here: Here | undefined, rows: readonly Row[]): Promise<Acted> {
  const chosen = rows.filter((row): row is Chosen => row.kind !== 'container');
  const [first] = chosen;
  if (here === undefined) return nothing;
  if (key === 'ctrl-p') return await put(full, here);
  if (key === 'ctrl-n') return await makeFolder(full, here);
  if (first === undefined) return nothing;
  if (key === 'ctrl-g') return await get(full, chosen);
  if (key === 'ctrl-l') return await link(full, first);
  if (key === 'ctrl-r') return await rename(full, first);
  return key === 'delete' ? await remove(full, chosen) : nothing;
}

const plainFlags = { force: false, dryRun: false, verify: false, exclude: [] };

async function get(full: Browsing, chosen: readonly Chosen[]): Promise<Acted> {
  return await aside(full, async () => {
    const to = await prompts(full.terminal, { back: true }).text({ message: 'Download into', fallback: '.' });
    const { received, failures } = await moving(full, 'Receiving', async (client, teller, signal) => {
      const from = chosen.map(({ id }) => parseRemotePath(id));
      return await getFiles(client, from, to, plainFlags, teller, signal, full.ciphers(client));
    });
    return { note: noteOf(receivedText(received, false), [], failures), changed: false };
  });
}

async function put(full: Browsing, { folderId }: Here): Promise<Acted> {
  return await aside(full, async () => {
    const path = await prompts(full.terminal, { back: true }).text({
      message: 'File or folder to store here',
      check: (text) => (text.trim() === '' ? 'Name a file or folder of this machine' : undefined),
    });
    const { sent, leftOut, failures } = await moving(full, 'Sending', async (client, teller, signal) => {
      const to = parseRemotePath(folderId);
      return await putFiles(full.terminal, client, [path], to, plainFlags, teller, signal, full.ciphers(client));
    });
    return { note: noteOf(sentText(sent, false), leftOut, failures), changed: true };
  });
}

type Work<T> = (client: Client, teller: Teller, signal: AbortSignal) => Promise<T>;

/** Ctrl-C ends a transfer, and not the browser. */
async function moving<T>(full: Browsing, text: string, work: Work<T>): Promise<T> {
  try {
    return await interruptibly(
      async (signal) =>
        await waitFor(
          full.terminal,
          text,
          async (teller) => await full.use(async (client) => await work(client, teller, signal)),
        ),
      () => {},
    );
  } catch (error) {
    throw error instanceof Cancelled ? new WentBack() : error;
  }
}

function noteOf(done: string, leftOut: readonly LeftOut[], failures: Failures): string {
  return [done, ...warningsOf(leftOut, failures)].join(' ');
}

/** The address is shown alone, so that it can be copied, and does not stay in the scrollback. */
async function link(full: Browsing, row: Chosen): Promise<Acted> {
  if (row.kind === 'folder') return { note: 'A link is to one file. Choose a file.', changed: false };
  return await aside(full, async () => {
    const ask = prompts(full.terminal, { back: true });
    const ends = await ask.text({ message: 'Days until it ends (empty: never)', check: daysProblem });
    const days = wholeNumber(ends.trim());
    const made = await full.use(async (client) => {
      const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * DAY_MS).toISOString();
      return await makeLink(client, row.of, { ciphers: full.ciphers(client), expiresAt });
    });
    await showAside(full.terminal, `${made.link.url}\n\n${linkWarning(made)}`);
    return { note: `Made a link to ${row.name}. To end it: conclave files unlink ${made.link.id}`, changed: false };
  });
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 3_650;

function daysProblem(text: string): string | undefined {
  const days = wholeNumber(text.trim());
  if (text.trim() === '' || (days !== undefined && days > 0 && days <= MOST_DAYS)) return undefined;
  return `Write a number of days, from 1 to ${MOST_DAYS}`;
}

async function makeFolder(full: Browsing, { folderId, containerId }: Here): Promise<Acted> {
  const name = await aside(full, async () => await asked(full, 'Name of the new folder', ''));
  await full.use(
    async (client) =>
      await perform(client, filevault.createFolder, {
        name,
        parentFolderId: folderId,
        vaultContainerId: containerId,
      }),
  );
  return { note: `Created ${name}.`, changed: true };
}

async function rename(full: Browsing, row: Chosen): Promise<Acted> {
  const name = await aside(full, async () => await asked(full, 'New name', row.name));
  await full.use(async (client) => {
    if (row.kind === 'folder') await perform(client, filevault.renameFolder, { id: row.id, name });
    else await perform(client, filevault.changeFile, { id: row.id, fileName: name });
  });
  return { note: `Renamed to ${name}.`, changed: true };
}

async function asked({ terminal }: Browsing, message: string, fallback: string): Promise<string> {
  const check = (text: string) => (text.trim() === '' ? 'A name is needed' : undefined);
  // It is shown as it is.
  const isShown = fallback !== '' && escapeForTerminal(fallback) === fallback;
  return await prompts(terminal, { back: true }).text({ message, check, ...(isShown && { fallback }) });
}

async function remove(full: Browsing, chosen: readonly Chosen[]): Promise<Acted> {
  const what = chosen.length === 1 ? escapeForTerminal(chosen[0]?.name ?? '') : counted(chosen.length, 'item');
  const sure = await aside(
    full,
    async () => await prompts(full.terminal, { back: true }).confirm(`Move ${what} to the trash?`),
  );
  if (!sure) return nothing;
  let done = 0;
  try {
    await full.use(async (client) => {
      for (const { kind, id } of chosen) {
        await perform(client, kind === 'folder' ? filevault.removeFolder : filevault.removeFile, { id });
        done += 1;
      }
    });
  } catch (error) {
    // Some are gone already, so the list has to be read again.
    if (!(error instanceof Problem) || done === 0) throw error;
    return { note: `Moved ${done} of ${chosen.length} to the trash. ${error.message}`, changed: true };
  }
  return { note: `Moved ${counted(done, 'item')} to the trash.`, changed: true };
}
