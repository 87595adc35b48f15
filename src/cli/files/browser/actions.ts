import { perform } from '../../../client/perform.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../problem.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside, type FullScreen } from '../../kit/full-screen.ts';
import { prompts } from '../../kit/prompts.ts';
import { planSending } from '../transfer/planning.ts';
import { receive } from '../transfer/receiving.ts';
import { sendAll } from '../transfer/sending-all.ts';
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
export async function act(full: FullScreen, key: string, here: Here | undefined, rows: readonly Row[]): Promise<Acted> {
  const chosen = rows.filter((row): row is Chosen => row.kind !== 'container');
  const [first] = chosen;
  if (here === undefined) return nothing;
  if (key === 'ctrl-p') return await put(full, here);
  if (key === 'ctrl-n') return await makeFolder(full, here);
  if (first === undefined) return nothing;
  if (key === 'ctrl-g') return await get(full, chosen);
  if (key === 'ctrl-r') return await rename(full, first);
  return key === 'delete' ? await remove(full, chosen) : nothing;
}

async function get(full: FullScreen, chosen: readonly Chosen[]): Promise<Acted> {
  return await aside(full, async () => {
    const to = await prompts(full.terminal, { back: true }).text({ message: 'Download into', fallback: '.' });
    const received = await full.use(async (client) => {
      const all = [];
      for (const row of chosen) {
        const place = { ...placeOf(row), folders: [] };
        all.push(...(await receive(full.terminal, client, place, to)));
      }
      return all;
    });
    return { note: `Received ${counted(received.length, 'file')} into ${to}.`, changed: false };
  });
}

function placeOf(row: Chosen) {
  if (row.kind === 'folder') return { folder: row.of, file: null };
  // Of the folder of a file only the file itself is downloaded.
  return { folder: { id: row.of.folderId, name: '' } as never, file: row.of };
}

async function put(full: FullScreen, { folderId }: Here): Promise<Acted> {
  return await aside(full, async () => {
    const path = await prompts(full.terminal, { back: true }).text({
      message: 'File or folder to store here',
      check: (text) => (text.trim() === '' ? 'Name a file or folder of this machine' : undefined),
    });
    const { stored, skipped } = await full.use(async (client) => {
      const plan = await planSending(client, [path], { container: undefined, names: [], id: folderId } as never);
      return { stored: await sendAll(full.terminal, client, plan.files), skipped: plan.skipped };
    });
    const left = skipped.length === 0 ? '' : ` Left out ${counted(skipped.length, 'file')}: empty, or links.`;
    return { note: `Stored ${counted(stored.length, 'file')}.${left}`, changed: true };
  });
}

async function makeFolder(full: FullScreen, { folderId, containerId }: Here): Promise<Acted> {
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

async function rename(full: FullScreen, row: Chosen): Promise<Acted> {
  const name = await aside(full, async () => await asked(full, 'New name', row.name));
  await full.use(async (client) => {
    if (row.kind === 'folder') await perform(client, filevault.renameFolder, { id: row.id, name });
    else await perform(client, filevault.changeFile, { id: row.id, fileName: name });
  });
  return { note: `Renamed to ${name}.`, changed: true };
}

async function asked({ terminal }: FullScreen, message: string, fallback: string): Promise<string> {
  const check = (text: string) => (text.trim() === '' ? 'A name is needed' : undefined);
  return await prompts(terminal, { back: true }).text({ message, check, ...(fallback !== '' && { fallback }) });
}

async function remove(full: FullScreen, chosen: readonly Chosen[]): Promise<Acted> {
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
