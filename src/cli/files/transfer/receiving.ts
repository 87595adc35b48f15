import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../client/perform.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { downloadFile } from '../../kit/call-bytes.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { safeFileName } from '../../mail/safe-name.ts';
import type { Ciphers } from '../ciphers.ts';
import { contentOf } from '../listing.ts';
import type { RemotePlace } from '../places.ts';
import { saveOpened } from './opening.ts';

export interface Received {
  readonly path: string;
  readonly sizeBytes: number;
}

/**
 * Writes a file, or a folder with everything inside it. Nothing is overwritten, times are kept, and a file that was broken off goes on.
 *
 * @param to a folder that is there, or the path of the new file or folder
 */
export async function receive(
  terminal: Terminal,
  caller: Caller,
  { folder, file }: RemotePlace,
  to: string,
  ciphers: Ciphers,
): Promise<Received[]> {
  const isFolder = (await stat(to).catch(() => undefined))?.isDirectory() === true;
  const name = safeFileName(file?.name ?? folder.name, file?.id ?? folder.id);
  const path = isFolder ? join(to, name) : to;
  if (file !== null) return [await receiveFile(terminal, caller, file, path, ciphers)];
  return await receiveFolder(terminal, caller, folder.id, path, ciphers);
}

async function receiveFolder(
  terminal: Terminal,
  caller: Caller,
  id: string,
  path: string,
  ciphers: Ciphers,
): Promise<Received[]> {
  await mkdir(path, { recursive: true });
  const { subfolders, files } = await contentOf(caller, id);
  const received: Received[] = [];
  for (const file of files)
    received.push(await receiveFile(terminal, caller, file, join(path, safeFileName(file.name, file.id)), ciphers));
  for (const folder of subfolders)
    received.push(
      ...(await receiveFolder(terminal, caller, folder.id, join(path, safeFileName(folder.name, folder.id)), ciphers)),
    );
  return received;
}

async function receiveFile(
  terminal: Terminal,
  caller: Caller,
  file: FileItem,
  path: string,
  ciphers: Ciphers,
): Promise<Received> {
  const cipher = await ciphers(file.vaultContainerId);
  if (cipher !== undefined) await saveOpened(terminal, caller, await cipher.open(file.id), path);
  else await downloadFile(terminal, caller, filevault.downloadFile, { id: file.id }, { output: path });
  const time = new Date(file.modifiedAt);
  await utimes(path, time, time);
  return { path, sizeBytes: file.sizeBytes };
}
