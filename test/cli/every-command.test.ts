import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { fieldsOf } from '../../src/cli/kit/fields.ts';
import { program } from '../support/program.ts';
import { temporaryFolder } from '../support/stores.ts';
import { allCommands, flagsOfCommand, topicsBelow } from './all-commands.ts';
import { runCommand } from './run-command.ts';

const commands = await allCommands();
const secrets = new Set(
  allOperations()
    .flatMap(fieldsOf)
    .filter(({ secret }) => secret)
    .map(({ name }) => name),
);

describe.each([...commands])('conclave %s', (words, command) => {
  it('has a summary of one line, and an example of itself', () => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{5,110}$/);
    const examples = (command.examples ?? []).map(String);
    expect(examples.some((example) => example.includes(`<%= config.bin %> ${words}`))).toBe(true);
  });

  it('answers in JSON on request', () => {
    expect(flagsOfCommand(command)).toHaveProperty('json');
  });

  it('takes no secret as an argument', async () => {
    const flags = flagsOfCommand(command);
    const files = Object.keys(flags).filter(
      (name) => name.endsWith('-file') && secrets.has(name.slice(0, -'-file'.length)),
    );
    for (const [name, flag] of Object.entries(flags)) {
      // `--key` says how to sign in; it has no value.
      if (secrets.has(name)) expect(flag.type).toBe('boolean');
      expect(flag.char).toBeUndefined();
    }
    for (const file of files) {
      const secret = file.slice(0, -'-file'.length);
      for (const argv of [[`--${secret}`, 'hunter2'], [`--${secret}=hunter2`]]) {
        const run = await runCommand(command, argv);
        expect(run).toMatchObject({ code: 2, stdout: '' });
        expect(run.stderr).toContain(`--${file}`);
        expect(run.stderr).not.toContain('hunter2');
      }
    }
  });

  it('says what the value of every option is', () => {
    const options = Object.values(flagsOfCommand(command)).filter(({ type }) => type === 'option');
    expect(options.filter((flag) => flag.type === 'option' && (flag.options ?? flag.helpValue) === undefined)).toEqual(
      [],
    );
  });

  it('says in its usage what it takes when that is more than its arguments', () => {
    // Those that are interactive alone take words only to say that they are no commands.
    const takesMore =
      !command.strict && !['calendar', 'chat', 'vault', 'quorum', 'mail', 'files', 'social'].includes(words);
    expect(command.usage ?? words).toContain(takesMore ? `${words} ` : words);
  });

  it('has no flag that takes the arguments that stand behind its value', () => {
    const greedy = Object.entries(flagsOfCommand(command)).filter(
      ([, flag]) => flag.type === 'option' && flag.multiple === true && flag.multipleNonGreedy !== true,
    );
    expect(greedy.map(([name]) => name)).toEqual([]);
  });

  it('describes every flag', () => {
    for (const [name, flag] of Object.entries(flagsOfCommand(command))) expect(flag.description, name).toMatch(/\w{2}/);
  });
});

it('every topic is described on the first page of help', async () => {
  const described = await topicsBelow();
  const names = [...commands.keys()].filter((words) => words.includes(' ')).map((words) => words.split(' ')[0]!);
  const topics = [...new Set(names)].toSorted();
  expect(Object.keys(described)).toEqual(topics);
  const { stdout: page } = await execa(...program(), { env: { NO_COLOR: '1' } });
  for (const topic of topics)
    expect(page.replaceAll(/\s+/g, ' ')).toContain(` ${topic} ${described[topic]!.description}`);
});

it('a folder of commands that does not say what they are about is an error, and no silence', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'notes/old'), { recursive: true });
  await writeFile(join(folder.path, 'notes/topic.json'), '{"description":"Notes"}');
  await expect(topicsBelow(folder.path)).rejects.toThrow(
    /notes.old.topic\.json must say what the commands of old are about/,
  );
  await writeFile(join(folder.path, 'notes/old/topic.json'), '{"description":" "}');
  await expect(topicsBelow(folder.path)).rejects.toThrow(/topic\.json has no description/);
  await writeFile(join(folder.path, 'notes/old/topic.json'), '{"description":"Old ones"}');
  const subtopics = { old: { description: 'Old ones' } };
  expect(await topicsBelow(folder.path)).toEqual({ notes: { description: 'Notes', subtopics } });
});

describe('wrong command lines', () => {
  it.each([
    [['--nonsense'], 'There is no option --nonsense.'],
    [['--nonsense=hunter2'], 'There is no option --nonsense.'],
    [['--jsno'], 'There is no option --jsno. Did you mean: --json?'],
    [['--servr', 'x'], 'Did you mean: --server?'],
    [['--json=1'], 'There is one argument too many.'],
    [['surplus'], 'There is one argument too many.'],
    [['--server'], '--server needs a value.'],
    [['--ca', 'x'], '--ca also needs --server.'],
    [['--server', 'x', '--data-dir', 'y'], '--server and --data-dir cannot be used together.'],
  ])('%j is refused with exit 2 and a pointer to the help', async (argv, said) => {
    const run = await runCommand(commands.get('whoami')!, argv);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(said);
  });

  it('are refused in JSON as well', async () => {
    const run = await runCommand(commands.get('whoami')!, ['--nonsense', '--json']);
    expect(JSON.parse(run.stderr)).toEqual({
      error: {
        code: 'USAGE',
        message: 'There is no option --nonsense.',
        fields: [],
        hint: expect.stringContaining('--help'),
      },
    });
  });
});
