import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { isGlob, nameMatches, pathMatches, type Excluding } from './globs.ts';
import type { Failures, LeftOut } from './outcome.ts';

/** A file of this machine that is to be sent. */
export interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
  /** folders below the target */
  readonly below: readonly string[];
  readonly name: string;
}

export interface Plan {
  readonly files: Found[];
  /** folders below the target, those above first */
  readonly folders: (readonly string[])[];
  readonly leftOut: LeftOut[];
}

/**
 * Finds out what is to be sent. What can't be read is written down, and the rest goes on.
 *
 * @param local paths and patterns that a person gave
 * @throws Problem invalid INPUT_UNREADABLE if one of them is not there
 */
export async function planSending(local: readonly string[], excluded: Excluding, failures: Failures): Promise<Plan> {
  const plan: Plan = { files: [], folders: [], leftOut: [] };
  for (const given of local)
    for (const path of await expanded(given, excluded))
      await addTo(plan, path, basename(resolve(path)), [], excluded, failures, true);
  return plan;
}

/** A shell has expanded what wasn't quoted. What is there is meant, whatever characters its name has. */
async function expanded(given: string, excluded: Excluding): Promise<string[]> {
  const found = await lstat(given).catch((cause: unknown) => cause as Error);
  if (!(found instanceof Error)) return [given];
  const parts = given.split(sep === '\\' ? /[\\/]/ : '/');
  const fixed = parts.findIndex(isGlob);
  if (fixed === -1) throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(given, found), { cause: found });
  const root = fixed === 0 ? '.' : parts.slice(0, fixed).join('/') || '/';
  const pattern = parts.slice(fixed).filter((part) => part !== '');
  const matches: string[] = [];
  const visit = async (folder: string, path: readonly string[]): Promise<void> => {
    for (const entry of (await readdir(folder, { withFileTypes: true }).catch(() => [])).toSorted(byName)) {
      const inside = [...path, entry.name];
      const at = fixed === 0 && folder === '.' ? entry.name : join(folder, entry.name);
      // Whoever names a thing wants it; what a pattern matches can be left out.
      if (excluded(inside, entry.isDirectory())) continue;
      if (pathMatches(pattern, inside)) matches.push(at);
      else if (entry.isDirectory() && canLead(pattern, inside)) await visit(at, inside);
    }
  };
  await visit(root, []);
  if (matches.length > 0) return matches;
  throw new Problem('invalid', 'INPUT_UNREADABLE', `Nothing matches ${JSON.stringify(given)}.`);
}

/** Whether something inside of a folder can match. */
export function canLead(pattern: readonly string[], path: readonly string[]): boolean {
  const any = pattern.indexOf('**');
  if (any !== -1 && path.length >= any)
    return (
      path.slice(0, any).every((name, at) => nameMatches(pattern[at] ?? '', name)) &&
      !path.slice(any).some((name) => name.startsWith('.'))
    );
  return path.length < pattern.length && path.every((name, at) => nameMatches(pattern[at] ?? '', name));
}

async function addTo(
  plan: Plan,
  path: string,
  name: string,
  below: readonly string[],
  excluded: Excluding,
  failures: Failures,
  isNamed = false,
): Promise<void> {
  const stats = await lstat(path, { bigint: true }).catch((error: unknown) =>
    failures.add(path, readProblem(path, error)),
  );
  if (stats === undefined) return;
  const at = [...below, name];
  if (!isNamed && excluded(at.slice(1), stats.isDirectory())) return;
  if (stats.isDirectory()) {
    const entries = await readdir(path).catch((error: unknown) => failures.add(path, readProblem(path, error)));
    if (entries === undefined) return;
    plan.folders.push(at);
    for (const entry of entries.toSorted()) await addTo(plan, join(path, entry), entry, at, excluded, failures);
  } else if (stats.isSymbolicLink()) plan.leftOut.push({ path, why: 'a symbolic link' });
  else if (!stats.isFile()) plan.leftOut.push({ path, why: 'not a file' });
  else if (stats.size === 0n) plan.leftOut.push({ path, why: 'empty' });
  else plan.files.push({ path, stats, below, name });
}

function readProblem(path: string, cause: unknown): Problem {
  return new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
