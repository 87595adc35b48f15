import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { unwritable } from '../../kit/body-files.ts';

const { O_NOFOLLOW, O_RDONLY } = constants;

/** The name of a file that is being written. Whoever finds one after a crash can remove it. */
export const unfinished = /\.[0-9a-f]{12}\.part$/;

/** Replaces a file of ours at once, or makes it. @throws Problem invalid OUTPUT_UNWRITABLE */
export async function putJson(folder: string, name: string, value: object): Promise<void> {
  const path = join(folder, name);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    await file.writeFile(`${JSON.stringify(value, undefined, 2)}\n`);
    await file.datasync();
    await rename(temporary, path);
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** @returns undefined for what is not there, is a link, or has another form */
export async function readJson<S extends v.GenericSchema>(
  path: string,
  form: S,
): Promise<v.InferOutput<S> | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW);
    const read = v.safeParse(form, JSON.parse(await file.readFile('utf8')));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
