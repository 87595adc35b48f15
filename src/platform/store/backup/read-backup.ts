import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Problem } from '../../../base/problem.ts';
import { createHasher } from '../blocks/block-hash.ts';
import { latestVersion } from '../migrations.ts';
import type { OnProgress } from '../transfer/progress.ts';
import { pieceBytes } from './archive-writer.ts';
import { damaged, notABackup, tooNew } from './damage.ts';
import { entryNames, manifestHashLine, readManifest, type Manifest } from './manifest.ts';
import { codeOf, fileProblem } from './place.ts';
import { signerOf } from './signature.ts';
import { readAt, tarEntries, type TarEntry } from './tar.ts';

/** A backup with sound headers, manifest and list of blocks; `checkContents` checks the rest. */
export interface Backup extends AsyncDisposable {
  readonly manifest: Manifest;
  /** id of the node that signed the backup */
  readonly signedBy: string | undefined;
  /** size of the file */
  readonly bytes: number;
  readonly database: TarEntry;
  readonly blocks: readonly BlockEntry[];
  /** Yields the content of an entry in pieces; throws BACKUP_DAMAGED at the end when the content doesn't match the manifest. */
  read(entry: TarEntry): AsyncGenerator<Uint8Array>;
  /** Reads all content once and compares it with the manifest. */
  checkContents(onProgress: OnProgress): Promise<void>;
}

export interface BlockEntry extends TarEntry {
  readonly id: string;
}

/** Every manifest is much shorter: its length depends on the number of tables, not on the rows in them. */
const longestManifest = 2 ** 20;

/** @throws Problem missing BACKUP_MISSING | invalid BACKUP_NOT_A_BACKUP | invalid BACKUP_DAMAGED | conflict BACKUP_TOO_NEW */
export async function openBackup(path: string): Promise<Backup> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new Problem('missing', 'BACKUP_MISSING', `There is no file ${path}.`);
    throw fileProblem(error, 'file', path);
  }
  try {
    const status = await file.stat();
    if (!status.isFile()) throw notABackup();
    return await readStructure(file, status.size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readStructure(file: FileHandle, bytes: number): Promise<Backup> {
  const entries: TarEntry[] = [];
  for await (const entry of tarEntries(file, bytes)) entries.push(entry);
  const signature = entries.at(-3)?.name === entryNames.signature ? entries.splice(-3, 1)[0] : undefined;
  const { manifest, written } = await manifestOf(file, entries);
  if (entries.some(({ name }) => name === entryNames.signature)) throw damaged('its entries are out of order');
  const hashes = hashesOf(manifest, entries);
  const blocks = blockEntries(entries);
  const made = Math.floor(Date.parse(manifest.createdAt) / 1000);
  const strange = [...entries, ...(signature === undefined ? [] : [signature])].find(({ seconds }) => seconds !== made);
  if (strange !== undefined) throw damaged(`${strange.name} is not of the time when it was made`);
  const signedBy = signerOf(
    manifest,
    written,
    signature === undefined ? undefined : await signatureText(file, signature),
  );
  const startHash = createHasher();
  const backup: Backup = {
    manifest,
    signedBy,
    bytes,
    database: find(entries, entryNames.database),
    blocks,
    async *read(entry) {
      const hash = startHash();
      for (let done = 0; done < entry.size; done += pieceBytes) {
        const piece = await readAt(file, entry.offset + done, Math.min(pieceBytes, entry.size - done));
        await hash.update(piece);
        yield piece;
      }
      if ((await hash.digest()) !== hashes.get(entry.name))
        throw damaged(`the content of ${entry.name} is not what was written`);
    },
    async checkContents(onProgress) {
      let done = 0;
      for (const entry of entries) {
        if (!hashes.has(entry.name)) continue;
        for await (const piece of backup.read(entry)) {
          done += piece.length;
          onProgress({ what: 'checking the backup', done, total: bytes });
        }
      }
      onProgress({ what: 'checking the backup', done: bytes, total: bytes });
    },
    async [Symbol.asyncDispose]() {
      await file.close();
    },
  };
  compareBlocks(blocks, await readText(backup, find(entries, entryNames.blockList)), manifest);
  return backup;
}

async function signatureText(file: FileHandle, { size, offset }: TarEntry): Promise<string> {
  if (size > longestManifest) throw damaged('its signature is too long to be one');
  return (await readAt(file, offset, size)).toString('latin1');
}

async function manifestOf(
  file: FileHandle,
  entries: readonly TarEntry[],
): Promise<{ manifest: Manifest; written: Uint8Array }> {
  const [entry, hash] = entries.slice(-2);
  if (entry?.name !== entryNames.manifest || hash?.name !== entryNames.manifestHash)
    throw damaged(
      entries.some(({ name }) => name === entryNames.manifest)
        ? 'its manifest is not at its end'
        : 'it has no manifest',
    );
  if (entry.size > longestManifest || hash.size > longestManifest) throw damaged('its manifest is too long to be one');
  const bytes = await readAt(file, entry.offset, entry.size);
  const line = await readAt(file, hash.offset, hash.size);
  const expected = manifestHashLine(createHash('sha3-512').update(bytes).digest('hex'));
  if (line.toString('latin1') !== expected) throw damaged('its manifest is not what was written');
  const manifest = readManifest(bytes);
  if (manifest.schemaVersion > latestVersion()) throw tooNew(manifest.version);
  return { manifest, written: bytes };
}

/** The hash that each entry must have, by name. Also checks that the backup has only the entries of the format, in their order. */
function hashesOf(manifest: Manifest, entries: readonly TarEntry[]): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const { name } of entries)
    if (name.startsWith(entryNames.blockFolder)) addOnce(hashes, name, name.slice(entryNames.blockFolder.length));
  const others = entries.slice(0, -2).filter(({ name }) => !name.startsWith(entryNames.blockFolder));
  const names = [entryNames.readme, entryNames.database, entryNames.blockList];
  for (const name of names) find(entries, name);
  for (const [index, { name, size }] of others.entries()) {
    if (name !== names[index])
      throw damaged(
        names.some((known) => known === name) ? `${name} is out of order` : `${name} does not belong in it`,
      );
    const file = manifest.files.find((candidate) => candidate.name === name);
    if (file?.size !== size)
      throw damaged(`${name} has ${size} bytes, and the manifest says ${file?.size ?? 'nothing of it'}`);
    addOnce(hashes, name, file.sha3_512);
  }
  const [first] = entries;
  if (first?.name !== entryNames.readme || entries.at(-3)?.name !== entryNames.blockList)
    throw damaged('its entries are out of order');
  if (manifest.files.length !== names.length) throw damaged('the manifest names files that are not in it');
  return hashes;
}

function addOnce(hashes: Map<string, string>, name: string, hash: string): void {
  if (hashes.has(name)) throw damaged(`${name} is in it twice`);
  hashes.set(name, hash);
}

function find(entries: readonly TarEntry[], name: string): TarEntry {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw damaged(`${name} is missing`);
  return found;
}

function blockEntries(entries: readonly TarEntry[]): BlockEntry[] {
  const blocks: BlockEntry[] = [];
  for (const entry of entries) {
    if (!entry.name.startsWith(entryNames.blockFolder)) continue;
    const id = entry.name.slice(entryNames.blockFolder.length);
    if (!/^[0-9a-f]{128}$/.test(id)) throw damaged(`${entry.name} is not the name of a block`);
    blocks.push({ ...entry, id });
  }
  return blocks;
}

function compareBlocks(blocks: readonly BlockEntry[], list: string, manifest: Manifest): void {
  const found = blocks.map(({ id, size }) => `${id}  ${size}\n`);
  if (found.join('') !== list) {
    const listed = new Set(list.split(/(?<=\n)/));
    const extra = found.find((line) => !listed.has(line));
    if (extra !== undefined) throw damaged(`the block ${extra.slice(0, 128)} is not on its list`);
    const there = new Set(found);
    const missing = [...listed].find((line) => !there.has(line));
    throw damaged(
      missing === undefined ? 'its blocks are out of order' : `the block ${missing.slice(0, 128)} is missing`,
    );
  }
  const bytes = blocks.reduce((sum, { size }) => sum + size, 0);
  if (blocks.length !== manifest.blocks.count || bytes !== manifest.blocks.bytes)
    throw damaged('its manifest counts other blocks');
}

async function readText(backup: Backup, entry: TarEntry): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of backup.read(entry)) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}
