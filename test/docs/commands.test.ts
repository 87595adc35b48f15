import { readFile } from 'node:fs/promises';
import { Parser } from '@oclif/core';
import { describe, expect, it } from 'vitest';
import { unknownVariables } from '../../src/cli/kit/unknown-variables.ts';
import { generatedDocs } from '../../scripts/generated-docs.ts';
import { allCommands, flagsOfCommand, type AnyCommand } from '../cli/all-commands.ts';
import { commandLines } from './command-lines.ts';
import { commandsDocument, sharedFlags } from './commands-page.ts';
import { commandsPath, readDocuments, root, typedIn } from './documents.ts';

const reference = await commandsDocument();
const documents = [...(await readDocuments()), reference];
const commands = await allCommands();
const everywhere = ['help', 'version'];

/** The command that the first words name, as many of them as there are. */
function commandOf(words: readonly string[]): { id: string; command: AnyCommand; rest: string[] } | undefined {
  for (let count = Math.min(words.length, 4); count > 0; count--) {
    const id = words.slice(0, count).join(' ');
    const command = commands.get(id);
    const rest = words.slice(count);
    if (command) return isTopic(id) && /^[a-z]/.test(rest[0] ?? '') ? undefined : { id, command, rest };
  }
  return undefined;
}

function isTopic(id: string): boolean {
  return [...commands.keys()].some((other) => other.startsWith(`${id} `));
}

async function parse(words: readonly string[]): Promise<void> {
  if (everywhere.some((name) => words[0] === `--${name}`)) return;
  const named = commandOf(words);
  if (!named) throw new Error(`there is no command ${words.join(' ')}`);
  const { command, rest } = named;
  const output = await Parser.parse(rest, {
    args: command.args,
    flags: flagsOfCommand(command),
    strict: command.strict,
  });
  // What is lenient about further arguments takes a mistyped option for one.
  const passed = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  const strays = output.argv.filter((word) => passed.includes(String(word)) && /^-./.test(String(word)));
  if (strays.length > 0) throw new Error(`there is no option ${strays.join(' ')}`);
}

const lines = documents.flatMap(({ path, blocks }) =>
  blocks.flatMap((block) =>
    typedIn(block).flatMap((line) =>
      commandLines(line).map((words) => ({ path, line: `conclave ${words.join(' ')}`, words })),
    ),
  ),
);

describe('the commands in the documents', () => {
  it('are found', () => {
    expect(lines.length).toBeGreaterThan(150);
    expect(new Set(lines.map(({ path }) => path)).size).toBeGreaterThan(5);
  });

  it('stand where they are found: behind $ where a terminal is shown, and in scripts', () => {
    // The page of commands begins each section with its usage, which nobody types.
    const written = documents.filter(({ path }) => path !== commandsPath);
    const unseen = written.flatMap(({ path, blocks }) =>
      blocks
        .filter((block) => typedIn(block).length === 0)
        .flatMap(({ text }) => text.split('\n').filter((line) => /^\s*(?:\$ )?(?:\.\/)?conclave /.test(line)))
        .map((line) => `${path}: ${line}`),
    );
    expect(unseen).toEqual([]);
  });

  it.each(lines)('$path: $line', async ({ words }) => {
    await expect(parse(words)).resolves.toBeUndefined();
  });

  it('are checked: a wrong name, option, value, or missing argument fails', async () => {
    const wrong = [
      'vault gett A/b',
      'vault get A/b --fild x',
      'vault import A',
      'vault export A --format zip',
      'vault add A/b --tpye x',
    ];
    for (const line of wrong)
      await expect(parse(line.split(' '))).rejects.toThrow(/there is no|Nonexistent|Missing|Expected/);
  });

  it('are found wherever a shell would run them', () => {
    expect(
      commandLines(
        `TOKEN=$(conclave vault get A/b --field "x y") | FOO=1 conclave call x > f; git config x '!conclave vault list x'`,
      ),
    ).toEqual([
      ['vault', 'get', 'A/b', '--field', 'x y'],
      ['call', 'x'],
      ['vault', 'list', 'x', 'get'],
    ]);
    expect(commandLines('docker run conclave && echo conclave')).toEqual([]);
  });

  it('exist where the text names them', () => {
    const missing = documents.flatMap(({ path, spans }) =>
      spans
        .filter((span) => /^conclave [a-z]/.test(span))
        .filter((span) => {
          const words = span.split(' ').slice(1);
          const named = commandOf(words);
          if (!named) return true;
          const flags = Object.keys(flagsOfCommand(named.command));
          return flagsIn(span).some((name) => ![...flags, ...everywhere].includes(name));
        })
        .map((span) => `${path}: ${span}`),
    );
    expect(missing).toEqual([]);
  });
});

const checks = await readFile(`${root}/scripts/check.mjs`, 'utf8');

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--(?:no-)?([a-z][a-z-]*)/g)].map(([, name = '']) => name);
}

describe('the page of commands', () => {
  it('has every example of every command', () => {
    for (const [words, { hidden, examples = [] }] of commands) {
      const typed = examples.map((example) => (typeof example === 'string' ? example : example.command));
      for (const line of hidden ? [] : typed)
        expect(reference.text, words).toContain(`\n${line.replaceAll('<%= config.bin %>', 'conclave')}\n`);
    }
    expect(lines.filter(({ path }) => path === commandsPath).length).toBeGreaterThan(commands.size);
  });

  it('is what the build wrote', { tags: 'thorough' }, async () => {
    expect(await readFile(`${root}/${commandsPath}`, 'utf8')).toBe(reference.text);
  });

  it('leaves to docs/cli.md the options of every command, with their variables', () => {
    const page = documents.find(({ path }) => path === 'docs/cli.md')!.text;
    const flags = flagsOfCommand(commands.get('whoami')!);
    for (const name of sharedFlags) {
      const { description = '', ...flag } = flags[name]!;
      const value = flag.type === 'option' ? ` ${String(flag.helpValue)}` : '';
      const line = page.split('\n').find((each) => each.startsWith(`- \`--${name}${value}\`: `));
      expect(line, name).toBeDefined();
      for (const [variable] of description.matchAll(/CONCLAVE_[A-Z_]+/g)) expect(line).toContain(`\`${variable}\``);
    }
  });
});

describe('options and variables in the documents', () => {
  const known = new Set([
    ...everywhere,
    // Of --version, which is no command.
    'verbose',
    ...[...commands.values()].flatMap((command) => Object.keys(flagsOfCommand(command))),
  ]);
  // Of npm and vitest, in CONTRIBUTING.md.
  for (const foreign of ['ignore-scripts', 'rounds']) known.add(foreign);
  // Of scripts/test, in CONTRIBUTING.md.
  for (const ours of flagsIn(checks)) known.add(ours);

  it('exist', async () => {
    const options = documents.flatMap(({ path, spans }) =>
      spans.flatMap((span) => flagsIn(span).map((name) => ({ path, name }))),
    );
    expect(options.length).toBeGreaterThan(50);
    expect(options.filter(({ name }) => !known.has(name))).toEqual([]);
    const variables = new Set(documents.flatMap(({ text }) => text.match(/CONCLAVE_[A-Z][A-Z0-9_]*[A-Z0-9]/g) ?? []));
    expect(variables.size).toBeGreaterThan(60);
    expect(await unknownVariables(Object.fromEntries([...variables].map((name) => [name, 'x'])))).toEqual([]);
  });

  it('are all in the documents: every command, option and variable that help names', () => {
    const configuration = documents.find(({ path }) => path === 'docs/configuration.md')!;
    for (const [id, command] of commands) {
      if (command.hidden) continue;
      expect(reference.text).toContain(`\n## conclave ${id}\n`);
      for (const { description, hidden } of Object.values(flagsOfCommand(command)))
        if (!hidden)
          for (const name of description?.match(/CONCLAVE_[A-Z0-9_]*[A-Z0-9]/g) ?? [])
            expect(configuration.text).toContain(`\`${name}\``);
    }
  });

  it('and the parts that are made from the program are up to date (npm run docs)', async () => {
    const made = await generatedDocs();
    expect(made.size).toBe(2);
    for (const [path, text] of made)
      expect(documents.find((document) => path.endsWith(`/${document.path}`))?.text).toBe(text);
  });
});
