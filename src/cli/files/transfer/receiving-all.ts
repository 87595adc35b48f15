import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { unwritable } from '../../kit/body-files.ts';
import type { Progress } from '../../kit/waiting.ts';
import { isOfDisk, type Failures } from './outcome.ts';
import { isFinal, type Patience } from './patience.ts';
import { nameKey } from './remote-folders.ts';
import { isThere, receiveFile } from './receiving.ts';
import type { RemoteFile, RemotePlan } from './remote-plan.ts';
import { eachOf, slots, type Moved } from './slots.ts';
import type { OpenSource } from './source.ts';

export interface ReceivingAll extends Patience {
  readonly plan: RemotePlan;
  /** a folder of this machine */
  readonly into: string;
  readonly open: OpenSource;
  readonly failures: Failures;
  /** replaces files of this machine */
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly report: (progress: Progress) => void;
}

export interface Received {
  readonly received: { readonly path: string; readonly id: string; readonly sizeBytes: number }[];
  /** paths of files that are there with the same size and time */
  readonly present: { readonly path: string; readonly id: string }[];
  /** paths of files that would be received */
  readonly planned: string[];
}

/** Receives files, with one bar for all of them. What fails is written down, and the others go on; a lost server ends it. */
export async function receiveAll(options: ReceivingAll): Promise<Received> {
  const { plan, into, open, failures, force, dryRun, report, signal } = options;
  const result: Received = { received: [], present: [], planned: [] };
  const total = plan.files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
  let [done, before] = [0, 0];
  const moved: Moved = (bytes, wasThere = false) => {
    done += bytes;
    if (wasThere) before += bytes;
    report({ what: 'receiving', done, before, total, unit: 'bytes' });
  };
  const receiving = { ...options, slots: slots(), moved };
  const assertInside = insideOf(into);
  for (const below of dryRun ? [] : plan.folders) {
    const path = join(into, ...below);
    await assertInside(below)
      .then(async () => await mkdir(path, { recursive: true }))
      .catch((error: unknown) => failures.add(path, unwritable(path, error)));
  }
  const taken = new Set<string>();
  const receiveOne = async ({ file, below }: RemoteFile, path: string): Promise<void> => {
    await assertInside(below);
    if (taken.has(nameKey(path))) throw sameName(path);
    taken.add(nameKey(path));
    const modifiedAt = Date.parse(file.modifiedAt);
    const there = await isThere(path, file.sizeBytes, modifiedAt);
    if (there === true && !force) {
      result.present.push({ path, id: file.id });
      moved(file.sizeBytes, true);
      return;
    }
    if (there === false && !force)
      throw new Problem('conflict', 'FILE_EXISTS', `${path} exists already. It was not changed.`);
    if (dryRun) {
      result.planned.push(path);
      return;
    }
    const source = await open(file);
    await receiveFile(receiving, { source, path, modifiedAt, mayReplace: async () => force });
    result.received.push({ path, id: file.id, sizeBytes: file.sizeBytes });
  };
  const order = new Map(plan.files.map(({ file }, index) => [file.id, index]));
  await eachOf(plan.files, async (wanted) => {
    signal?.throwIfAborted();
    const path = join(into, ...wanted.below, wanted.name);
    try {
      await receiveOne(wanted, path);
    } catch (error) {
      if (signal?.aborted === true || (isFinal(error) && !isOfDisk(error))) throw error;
      failures.add(path, error);
    }
  });
  const inOrder = (one: { readonly id: string }, other: { readonly id: string }): number =>
    (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0);
  result.received.sort(inOrder);
  result.present.sort(inOrder);
  return result;
}

/** The names of folders come from the server. One that is a link here would lead out of the folder that a person chose. */
function insideOf(into: string): (below: readonly string[]) => Promise<void> {
  const known = new Map<string, Promise<void>>();
  const look = async (below: readonly string[]): Promise<void> => {
    if (below.length === 0) return;
    await assertInside(below.slice(0, -1));
    const path = join(into, ...below);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink() !== true) return;
    const words = `${path} is a symbolic link. Nothing was received through it. Remove it, or choose another folder.`;
    throw new Problem('conflict', 'FILE_EXISTS', words);
  };
  const assertInside = async (below: readonly string[]): Promise<void> => {
    const path = join(...below);
    const looked = known.get(path) ?? look(below);
    known.set(path, looked);
    await looked;
  };
  return assertInside;
}

function sameName(path: string): Problem {
  const words = `Another file of this command is received as ${path}, too. Get it into another folder.`;
  return new Problem('conflict', 'NAME_TAKEN', words);
}
