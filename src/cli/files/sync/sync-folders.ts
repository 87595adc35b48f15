import { hostname } from 'node:os';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collectPages } from '../../../client/pages.ts';
import type { Caller } from '../../../client/perform.ts';
import type { Folder } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import { lockFolder } from '../../kit/lock-folder.ts';
import type { Teller } from '../../kit/waiting.ts';
import { plainly, type Ciphers } from '../ciphers.ts';
import { millisecondsIn, sizeIn } from '../transfer/file-stats.ts';
import type { Excluding } from '../transfer/globs.ts';
import { failures as newFailures, type Failures, type LeftOut } from '../transfer/outcome.ts';
import { persistently, type Patience } from '../transfer/patience.ts';
import { slots, type Moved } from '../transfer/slots.ts';
import { sourcesOf, type OpenSource } from '../transfer/source.ts';
import { hashOfSource } from '../transfer/verifying.ts';
import { apply, labelOf } from './applying.ts';
import { decider, type Decision, type Direction } from './deciding.ts';
import { match, type Item } from './matching.ts';
import { remoteNames } from './remote-steps.ts';
import type { Action, Pass, Run } from './run.ts';
import { openState, pairFolder, readState, type Entry, type State } from './state.ts';
import { hashOfNode, localPath, readLocal, readRemote, sweepParts, type LocalNode, type RemoteNode } from './trees.ts';
import { makeRoom } from './unblocking.ts';

export interface SyncOptions extends Direction, Pick<Teller, 'report'>, Patience {
  readonly excluded: Excluding;
  readonly env: NodeJS.ProcessEnv;
  readonly dryRun: boolean;
  /** goes on where one side is empty that had files before */
  readonly allowEmpty: boolean;
  readonly host?: string;
  readonly now?: () => number;
  /** called before every change of a side and of the state */
  readonly step?: () => void;
  readonly ciphers?: Ciphers;
  readonly open?: OpenSource;
}

export interface SyncOutcome {
  readonly files: number;
  readonly actions: readonly Action[];
  readonly leftOut: readonly LeftOut[];
  readonly failures: Failures;
}

/** Looks at both sides that bring nothing to an end say that something changes all the time. */
const MOST_PASSES = 40;

/**
 * Makes a folder of this machine and one of the server equal.
 *
 * What both had when they were last equal is written down, by the id of the server: place, version, size, times and hash. So each side's own
 * changes are known, and these rules hold for `both`:
 *
 * - What one side changed, moved or added, the other side gets. Of two moves that at the server holds; a new parent and a new name count
 *   each for themselves. If the place that both make together is taken by something that stays there, its name gets a "conflict".
 * - What both sides changed differently, and what both added under one name with different content, stays twice: the file here gets a name
 *   with "conflict", the date and the machine.
 * - What one side deleted goes away on the other one only if it was synchronised and is unchanged there: here for good, at the server to the
 *   trash. A change wins over a deletion, and a folder stays as long as something in it stays.
 * - Nothing is overwritten or removed here that is not, at this moment, what was found when both sides were read.
 *
 * Every step changes one thing on one side, and can be followed by the death of the process. What was done and not written down, the next
 * run finds on both sides and writes down then: a file with the same size and time, or else the same hash, is the same. What is on its way
 * has a name that says which thing it is. An upload first takes the old entry away, so no two entries are about one file.
 *
 * `push` and `pull` make one side as the other one is. They remove nothing unless they are told to, and `pull` sets a file aside that was
 * changed here, instead of losing it.
 *
 * @throws Problem conflict SYNC_IN_USE, SYNC_SIDE_EMPTY, SYNC_STATE_NEWER, and whatever would go wrong with everything
 */
export async function syncFolders(
  caller: Caller,
  local: string,
  folder: Pick<Folder, 'id' | 'vaultContainerId'>,
  options: SyncOptions,
): Promise<SyncOutcome> {
  const { dryRun, env, step = () => {} } = options;
  await needFolder(local, options);
  if (dryRun) {
    const { entries } = await readState(join(await pairFolder(env, local, folder.id), 'state.jsonl'));
    const state: State = { entries, put: never, drop: never, [Symbol.asyncDispose]: async () => {} };
    return await synchronise(caller, local, folder, options, state);
  }
  const pair = await pairFolder(env, local, folder.id);
  const message = `Another process synchronises ${local}. Try again when it has ended.`;
  await using _ = await lockFolder(pair, 'conclave files sync', { code: 'SYNC_IN_USE', message });
  await using state = await openState(pair, local, folder.id, step);
  return await synchronise(caller, local, folder, options, state);
}

async function never(): Promise<void> {
  throw new Error('a dry run writes nothing');
}

async function needFolder(local: string, { mode, dryRun }: SyncOptions): Promise<void> {
  const found = await stat(local).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Problem('invalid', 'USAGE', `${local} is a file. Name a folder.`);
  if (mode === 'push' || dryRun)
    throw new Problem('invalid', 'INPUT_UNREADABLE', `${local} cannot be read: it does not exist.`);
  await mkdir(local, { recursive: true });
}

async function synchronise(
  caller: Caller,
  root: string,
  folder: Pick<Folder, 'id' | 'vaultContainerId'>,
  options: SyncOptions,
  state: State,
): Promise<SyncOutcome> {
  const { report, excluded, dryRun, mode, deletes, step = () => {}, ciphers = plainly } = options;
  const { signal, delays, open = sourcesOf(caller, ciphers), now = Date.now, host = hostname() } = options;
  const patience: Patience = { signal, delays };
  const failures = newFailures();
  const actions: Action[] = [];
  let [done, before, total] = [0, 0, 0];
  const moved: Moved = (bytes, wasThere = false) => {
    done += bytes;
    if (wasThere) before += bytes;
    report({ what: 'moving', done, before, total, unit: 'bytes' });
  };
  const uploads: Run['uploads'] = dryRun
    ? []
    : await persistently(() => collectPages(caller, filevault.listUploads, {}, 'uploads'), patience).then(
        ({ items }) => items,
      );
  const base = {
    caller,
    state,
    direction: { mode, deletes },
    patience,
    ciphers,
    open,
    slots: slots(),
    moved,
    uploads,
  };
  const run: Run = { ...base, containerId: folder.vaultContainerId, host, now, step, failures, actions };
  const hashes = new Map<string, string>();
  const isSame = async (node: LocalNode, { file }: RemoteNode): Promise<boolean> => {
    if (file === undefined || sizeIn(node.stats) !== file.sizeBytes) return false;
    if (millisecondsIn(node.stats) === Date.parse(file.modifiedAt)) return true;
    const { currentVersionId: version } = file;
    const hash = hashes.get(version) ?? (await hashOfSource(await open(file), patience));
    hashes.set(version, hash);
    return (await hashOfNode(root, node)) === hash;
  };
  for (let count = 0; ; count += 1) {
    signal?.throwIfAborted();
    report({ what: 'comparing', done: 0, total: 0 });
    const [local, remote] = await Promise.all([
      readLocal(root, excluded),
      readRemote(caller, folder.id, excluded, patience),
    ]);
    if (count === 0) refuseEmpty(state.entries, filesIn(local.nodes), filesIn(remote.nodes), options);
    const items = await match(state.entries, local, remote);
    const decide = await decider({ items, tree: local, rootId: folder.id, direction: run.direction, isSame });
    const decisions = new Map<Item, Decision>();
    for (const item of inTreeOrder(items.all)) decisions.set(item, await decide(item));
    const pass: Pass = {
      ...run,
      local,
      remote,
      items,
      decisions,
      claimed: new Set(),
      blocked: [],
      names: remoteNames(remote.nodes),
      done: 0,
    };
    total = done + bytesOf(decisions);
    if (dryRun) {
      for (const [item, decision] of decisions) actions.push(...planned(pass, item, decision));
    } else {
      await apply(pass);
      if (pass.done === 0 && pass.blocked.length > 0) await makeRoom(pass);
    }
    if (pass.done > 0) {
      if (count < MOST_PASSES) continue;
      const words = `Both sides are not equal yet, because something changes all the time. Run the command again.`;
      failures.add('.', new Problem('conflict', 'NOTHING_CHANGED', words));
    }
    if (!dryRun && failures.list.length === 0) await sweepParts(local, new Set());
    const leftOut = local.nodes
      .filter(({ kind }) => kind === 'other')
      .map((node) => ({ path: localPath(node), why: whyOf(node) }));
    return { files: local.nodes.filter(({ kind }) => kind === 'file').length, actions, leftOut, failures };
  }
}

/** What is left out counts: it is there. */
function filesIn(nodes: readonly (LocalNode | RemoteNode)[]): number {
  return nodes.filter(({ kind }) => kind !== 'folder').length;
}

/** A disk that is not there looks like one on which everything was deleted. */
function refuseEmpty(
  entries: ReadonlyMap<string, Entry>,
  here: number,
  there: number,
  { allowEmpty, mode, deletes }: SyncOptions,
): void {
  if (!allowEmpty && mode === 'push' && deletes && here === 0 && there > 0) {
    const words = `The folder of this machine has no files, and ${there} at the server would go to the trash. Nothing was changed. If that is right, add --allow-empty.`;
    throw new Problem('conflict', 'SYNC_SIDE_EMPTY', words);
  }
  const had = [...entries.values()].filter(({ kind }) => kind === 'file').length;
  if (allowEmpty || had === 0 || (here > 0 && there > 0)) return;
  const side = here === 0 ? 'The folder of this machine' : 'The folder of the server';
  const words = `${side} has no files, and had ${had} the last time. Nothing was changed. If that is right, add --allow-empty.`;
  throw new Problem('conflict', 'SYNC_SIDE_EMPTY', words);
}

/** Folders above come first on both sides. */
function inTreeOrder(all: readonly Item[]): Item[] {
  const depthOf = ({ local, remote }: Item, byId: ReadonlyMap<string, Item>): number => {
    let depth = 0;
    if (local !== undefined) for (let at = local.parent; at !== undefined; at = at.parent) depth += 1;
    else
      for (let at = remote && byId.get(remote.parent); at !== undefined && depth < 1_000; depth += 1)
        at = at.remote && byId.get(at.remote.parent);
    return depth;
  };
  const byId = new Map(all.flatMap((item) => (item.remote === undefined ? [] : [[item.remote.id, item] as const])));
  return all
    .map((item) => ({ item, depth: depthOf(item, byId) }))
    .toSorted((one, other) => one.depth - other.depth)
    .map(({ item }) => item);
}

function bytesOf(decisions: ReadonlyMap<Item, Decision>): number {
  let total = 0;
  for (const [{ kind, local, remote }, decision] of decisions) {
    if (kind !== 'file') continue;
    const what = decision.do === 'keep' ? decision.content : decision.do;
    if (what === 'upload' || what === 'create-remote') total += local === undefined ? 0 : sizeIn(local.stats);
    if (what === 'download' || what === 'create-local') total += remote?.file?.sizeBytes ?? 0;
  }
  return total;
}

function planned(pass: Pass, item: Item, decision: Decision): Action[] {
  const path = labelOf(pass, item);
  const isFolder = item.kind === 'folder';
  switch (decision.do) {
    case 'create-remote':
      return [{ action: isFolder ? 'make-remote' : 'upload', path }];
    case 'create-local':
      return [{ action: isFolder ? 'make-local' : 'download', path }];
    case 'delete-local':
      return [{ action: 'remove-local', path }];
    case 'delete-remote':
      return [{ action: 'trash-remote', path }];
    case 'keep': {
      const { parent, localName, remoteName, content } = decision;
      const to = parent === undefined ? localName : `${labelOf(pass, parent)}/${localName}`;
      const isMovedThere =
        item.remote?.name !== remoteName || item.remote.parent !== (parent?.remote?.id ?? pass.remote.id);
      const moves: Action[] = [
        ...(isMovedThere ? [{ action: 'move-remote', path: item.entry?.local ?? path, to } as const] : []),
        ...(path === to ? [] : [{ action: 'move-local', path, to } as const]),
      ];
      if (content === 'upload' || content === 'download' || content === 'conflict')
        return [...moves, { action: content, path: to }];
      return moves;
    }
    default:
      return [];
  }
}

function whyOf({ stats }: LocalNode): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  return stats.isFile() ? 'empty' : 'not a file';
}
