import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openSqljsDatabase, storeFile } from '../../../src/platform/store/sqljs/sqljs-database.ts';
import type { House } from '../../support/house.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';
import { openSocial, type SocialScene } from './scene.ts';

/** A social network, and the bytes that it leaves. */
export interface BareScene extends AsyncDisposable {
  readonly scene: SocialScene;
  /** every value of every table, and all files; of PostgreSQL, whose files are the server's, the values and the other files */
  bytes(): Promise<Buffer>;
  rows(): Promise<Buffer>;
}

export async function openBare(engine: EngineName): Promise<BareScene> {
  if (engine === 'postgres') {
    const scene = await openSocial(engine);
    return { ...partsOf(scene, []), [Symbol.asyncDispose]: scene[Symbol.asyncDispose] };
  }
  const folder = await temporaryFolder();
  await copyFile(inject('migratedStore'), join(folder.path, storeFile));
  const store = await openSqljsDatabase(folder.path);
  const scene = await openSocial(engine, { context: { store, db: store.db } });
  return {
    ...partsOf(scene, [folder.path]),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function partsOf(scene: SocialScene, folders: readonly string[]): Omit<BareScene, typeof Symbol.asyncDispose> {
  const { house } = scene;
  const rows = async () => await rowsOf(house);
  return {
    scene,
    rows,
    async bytes() {
      const files = await Promise.all([...folders, house.ctx.config.dataDir].map(filesIn));
      return Buffer.concat([await rows(), ...files.flat()]);
    },
  };
}

async function rowsOf({ ctx }: House): Promise<Buffer> {
  const values = [...(await allRows(ctx)).values()].flat().flatMap((row) => Object.values(row));
  return Buffer.concat(
    values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(`${String(value)}\n`))),
  );
}

async function filesIn(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(files.map(async (file) => await readFile(file)));
}
