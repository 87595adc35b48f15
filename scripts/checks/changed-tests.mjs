import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { loadedLater, loadedNow, targetsIn } from '../source-imports.mjs';

/** Below these everything is looked through for what it loads; a change elsewhere matters to whoever names the file. */
const folders = ['bin', 'commands', 'scripts', 'src', 'test'];

/** What every test runs with. */
const everywhere =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|vitest\.config\.ts|test\/support\/(?:empty-stock|engines-of-stage|global-setup|measure-cpu|postgres|run-seed|seed-properties|seed-randomness|seeded-bytes|stage)\.ts)$/;

/**
 * What differs from a commit, new files included, by paths from the root.
 * @throws Error with what git says, where the root is in no repository, where the commit is none, or where there is no git
 */
export async function changedFiles(root, commit) {
  const git = async (...options) => {
    try {
      return (await promisify(execFile)('git', options, { cwd: root, maxBuffer: 2 ** 26 })).stdout.split('\0');
    } catch (error) {
      const [said] = String(error.stderr || error.message).split('\n');
      throw new Error(`git cannot say what differs from ${commit}: ${said}`, { cause: error });
    }
  };
  const changed = await git('diff', '-z', '--name-only', '--no-renames', '--relative', commit, '--');
  const added = await git('ls-files', '-z', '--others', '--exclude-standard');
  return [...changed, ...added].filter((path) => path !== '');
}

/**
 * The test files that load what changed, at whatever distance. Imports alone don't say it: tests also start programs and read files, so
 * a path that stands in the text of a test or a script counts as well, and the programs in bin/ load every command.
 */
export async function testsOf(root, changed) {
  const sources = await readSources(root);
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts'));
  if (changed.some((path) => everywhere.test(path))) return tests;
  const users = usersOf(root, sources);
  const reached = new Set();
  const waiting = [...changed];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    // Whoever reads a folder reads what is in it.
    for (let folder = path; folder !== '.'; folder = posix.dirname(folder)) waiting.push(...(users.get(folder) ?? []));
  }
  return tests.filter((path) => reached.has(path));
}

async function readSources(root) {
  const sources = new Map();
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = posix.join(entry.parentPath.slice(root.length).replaceAll('\\', '/').replace(/^\//, ''), entry.name);
      if (entry.isFile() && /\.(?:[cm]?js|ts)$/.test(path)) sources.set(path, await readFile(join(root, path), 'utf8'));
    }
  }
  return sources;
}

/** A program that a source starts: a thread is one. */
const besideSource = /\bnew URL\(\s*['"](?<target>\.[^'"]+)['"],\s*import\.meta\.url\)/g;
const anyPath = /(?<quote>['"`])(?<target>[\w./-]*[./][\w./-]*)\k<quote>/g;
const belowRoot = /(?:\broot, ['"]|\$\{root\}\/)(?<target>[\w-][\w./-]*)/g;

/** Who uses a file or a folder. */
function usersOf(root, sources) {
  const users = new Map();
  const add = (path, user) => users.set(path, (users.get(path) ?? new Set()).add(user));
  for (const [path, text] of sources) {
    for (const target of [...loadedNow(text), ...loadedLater(text), ...targetsIn(text, besideSource)]) {
      add(posix.join(posix.dirname(path), target), path);
    }
    if (path.startsWith('bin/')) add('commands', path);
    if (!/^(?:scripts|test)\//.test(path)) continue;
    // One word may be any word, unless it is said to be below the root.
    const named = [...targetsIn(text, anyPath), ...targetsIn(text, belowRoot)];
    if (text.includes('readSources(')) named.push(...folders);
    for (const target of named) {
      for (const base of ['.', posix.dirname(path)]) {
        const found = posix.join(base, target).replace(/\/$/, '');
        const isOurs = found !== '' && !/^(?:\.{1,2}(?:\/|$)|\/)/.test(found) && !`${path}/`.startsWith(`${found}/`);
        if (!isOurs || !existsSync(join(root, found))) continue;
        // The build is made of all that the commands load.
        add(found === 'dist' || found.startsWith('dist/') ? 'commands' : found, path);
      }
    }
  }
  return users;
}
