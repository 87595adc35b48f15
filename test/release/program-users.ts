import { readFile, readdir, symlink } from 'node:fs/promises';
import { delimiter, join, posix } from 'node:path';
import { execa } from 'execa';

interface Scripts {
  countTests(
    report: unknown,
    exitCode: number | undefined,
    options: { readonly whole: boolean },
  ): { readonly passed: number; readonly failed: number; readonly detail: string };
  failedTests(report: unknown, root: string): string[];
  loadedNow(text: string): string[];
  loadedLater(text: string): string[];
}

const script = async (name: string): Promise<Scripts> =>
  (await import(String(new URL(`../../scripts/${name}`, import.meta.url)))) as Scripts;
const { countTests, failedTests } = await script('count-tests.mjs');
const { loadedLater, loadedNow } = await script('source-imports.mjs');

/** The test files that start the program, which all do by test/support/program.ts. @param root of the project @returns paths from there */
export async function testsOfProgram(root: string): Promise<string[]> {
  const imports = new Map<string, readonly string[]>();
  for (const entry of await readdir(join(root, 'test'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    const folder = entry.parentPath.slice(root.length).replace(/^\//, '');
    const targets = [...loadedNow(text), ...loadedLater(text)].map((target) => posix.join(folder, target));
    imports.set(posix.join(folder, entry.name), targets);
  }
  const users = new Set(['test/support/program.ts']);
  // Each round finds those at one more step from it.
  for (let before = 0; users.size > before;) {
    before = users.size;
    for (const [path, targets] of imports) if (targets.some((target) => users.has(target))) users.add(path);
  }
  return [...users].filter((path) => path.endsWith('.test.ts')).toSorted();
}

/** @param variables all that they get @returns how many passed, and what failed or was left out */
export async function runTests(
  root: string,
  files: readonly string[],
  { report, variables }: { readonly report: string; readonly variables: NodeJS.ProcessEnv },
): Promise<{ readonly passed: number; readonly failures: readonly string[] }> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // Those that this leaves out are about the Node of the folder.
  const chosen = [`--outputFile=${report}`, '--tags-filter=!needs-node-options', ...files];
  const { exitCode, all } = await execa(process.execPath, [vitest, 'run', '--reporter=json', ...chosen], {
    cwd: root,
    env: variables,
    extendEnv: false,
    reject: false,
    all: true,
  });
  const said: unknown = JSON.parse(await readFile(report, 'utf8').catch(() => 'null')) ?? undefined;
  const { passed, failed, detail } = countTests(said, exitCode, { whole: true });
  return {
    passed,
    failures: failed === 0 ? [] : [detail, ...failedTests(said, root), ...(said === undefined ? [all] : [])],
  };
}

const ofNode = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack']);

/**
 * A PATH with all the programs of another one but Node and what belongs to it.
 * @param folder an empty one, which gets links to what lies beside Node
 */
export async function pathWithoutNode(path: string, folder: string): Promise<string> {
  const found = new Set<string>();
  const kept: string[] = [];
  for (const each of path.split(delimiter)) {
    const names = await readdir(each).catch(() => [] as string[]);
    if (!names.some((name) => ofNode.has(name))) {
      kept.push(each);
      continue;
    }
    if (found.size === 0) kept.push(folder);
    for (const name of names) {
      if (ofNode.has(name) || found.has(name)) continue;
      found.add(name);
      await symlink(join(each, name), join(folder, name));
    }
  }
  return kept.join(delimiter);
}
