// Whether the subjects of commits are as CONTRIBUTING.md asks: node scripts/commit-subjects.mjs
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The parent of the commit that brought this check. What came before had other subjects. */
const base = '61955228ab68d078d581d91284ecfb8602ae1127';

/** As much as a list of commits shows on a terminal. */
const longest = 72;

const rules = [
  {
    wrong: `is longer than ${longest} characters`,
    breaks: (subject) => [...subject].length > longest,
  },
  {
    wrong: 'names no area in front, as in "tests: poll for the state"',
    breaks: (subject) => !/^[a-z\d][a-z\d ,./-]*: \S/.test(subject),
  },
  {
    wrong: 'is of unfinished work',
    breaks: (subject) => /^(?:[^:]*: )?\W?wip\b/i.test(subject),
  },
];

/** What is wrong with a subject; nothing where it is as it should be. @returns {string[]} */
export function faultsOf(subject) {
  return rules.filter(({ breaks }) => breaks(subject)).map(({ wrong }) => wrong);
}

/**
 * The commits after `since` with subjects that break a rule, newest first, merges left out. A shallow clone is asked for what it has of them. No
 * repository has none, and neither has one with another history, such as that of whoever keeps a release among their own files.
 *
 * @param {string} root @param {string} [since]
 * @returns {Promise<{ id: string, subject: string, faults: string[] }[]>}
 */
export async function wrongSubjects(root, since = base) {
  // Of a folder, not of one above it, which would be somebody else's. It is a file in a worktree.
  if (!existsSync(join(root, '.git'))) return [];
  const git = async (...words) => {
    // A checkout in a container may belong to another user.
    const options = ['-c', `safe.directory=${realpathSync(root)}`, ...words];
    return (await promisify(execFile)('git', options, { cwd: root, maxBuffer: 2 ** 28 })).stdout;
  };
  const hasBase = await git('merge-base', '--is-ancestor', since, 'HEAD').then(
    () => true,
    () => false,
  );
  if (!hasBase && (await git('rev-parse', '--is-shallow-repository')).trim() !== 'true') return [];
  const log = await git('log', '-z', '--format=raw', 'HEAD', ...(hasBase ? [`^${since}`] : []), '--');
  return log
    .split('\0')
    .filter((text) => text !== '')
    .map(commitOf)
    .filter(({ parents }) => parents < 2)
    .map(({ id, subject }) => ({ id, subject, faults: faultsOf(subject) }))
    .filter(({ faults }) => faults.length > 0);
}

/** By its raw form, which alone has all parents of the oldest commits in a shallow clone: merges among them look like others otherwise. */
function commitOf(text) {
  const end = text.indexOf('\n\n');
  const head = text.slice(0, end);
  const [first = ''] = text.slice(end + 2).split(/\n\s*\n/);
  return {
    id: /^commit ([\da-f]+)/.exec(head)[1],
    parents: [...head.matchAll(/^parent /gm)].length,
    // Lines without an empty one between them are one subject for git.
    subject: first.trim().replaceAll(/\n\s*/g, ' '),
  };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const wrong = await wrongSubjects(fileURLToPath(new URL('..', import.meta.url)));
  for (const { id, subject, faults } of wrong)
    process.stdout.write(`${id.slice(0, 12)} ${JSON.stringify(subject)} ${faults.join(', and ')}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
