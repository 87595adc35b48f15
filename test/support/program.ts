import { fileURLToPath } from 'node:url';

/** What npm installs. */
export const launcher = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
const given = process.env['CONCLAVE_TEST_PROGRAM'] ?? '';

/** Whether tests run against the program in one file, which CONCLAVE_TEST_PROGRAM names, instead of the one in this folder. */
const isOneFile = given !== '';

/** The path of the program, for what starts a program by its path: a shell, git, a link. */
export const programPath = isOneFile ? given : launcher;

/** The command line with which tests start the program. */
export function program(...words: readonly string[]): [command: string, words: string[]] {
  return isOneFile ? [given, [...words]] : programOnNode([], ...words);
}

/** The same as a line for a shell. */
export function programLine(...words: readonly string[]): string {
  const [command, all] = program(...words);
  return [command, ...all].map(quoted).join(' ');
}

/**
 * The same with options of Node, of which the program in one file takes none: a test that gives some has the tag `needs-node-options`.
 * See bin/run.js for the dashes.
 */
export function programOnNode(
  options: readonly string[],
  ...words: readonly string[]
): [command: string, words: string[]] {
  if (isOneFile) throw new Error('The program in one file takes no options of Node: tag this test needs-node-options.');
  return [process.execPath, [...options, '--', launcher, ...words]];
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
