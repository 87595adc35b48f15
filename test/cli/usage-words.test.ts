import { Args, Flags, Parser } from '@oclif/core';
import { describe, expect, it } from 'vitest';
import { usageOf } from '../../src/cli/kit/usage-words.ts';

const flags = {
  name: Flags.string({ description: 'a name' }),
  kind: Flags.string({ description: 'a kind', options: ['one', 'two'] }),
  count: Flags.integer({ description: 'a number', min: 2, max: 9 }),
  place: Flags.url({ description: 'an address' }),
  fast: Flags.boolean({ description: 'fast', allowNo: true, exclusive: ['name'] }),
  with: Flags.string({ description: 'with', dependsOn: ['name'] }),
  only: Flags.string({ description: 'only', combinable: ['name'] }),
  some: Flags.string({ description: 'some', relationships: [{ type: 'some', flags: ['name', 'kind'] }] }),
  either: Flags.string({ description: 'either', exactlyOne: ['either', 'or'] }),
  or: Flags.string({ description: 'or' }),
};
const args = { entry: Args.string({ description: 'the entry', required: true }) };

async function said(argv: string[], input: object = { flags, args }): Promise<string> {
  try {
    await Parser.parse(argv, { ...input, strict: true } as Parameters<typeof Parser.parse>[1]);
  } catch (error) {
    return usageOf(error as Error);
  }
  throw new Error('it was not refused');
}
const ok = ['e', '--either', 'x'];

describe('what the parser refuses', () => {
  it.each([
    [['--nmae', 'x', ...ok], 'There is no option --nmae. Did you mean: --name?'],
    [['--no-fats', ...ok], 'There is no option --no-fats. Did you mean: --no-fast?'],
    [['--zzzzzz=hunter2', ...ok], 'There is no option --zzzzzz.'],
    [[...ok, 'more'], 'There is one argument too many. A name with spaces needs quotes.'],
    [[...ok, 'a', 'b'], 'There are 2 arguments too many. A name with spaces needs quotes.'],
    [['--either', 'x'], 'ENTRY is missing: the entry.'],
    [['--name', 'a', '--name', 'b', ...ok], '--name is given more than once.'],
    [[...ok, '--name'], '--name needs a value.'],
    [[...ok, '--kind'], '--kind needs a value, one of: one, two.'],
    [[...ok, '--kind', 'three'], '--kind must be one of: one, two.'],
    [[...ok, '--count', 'x'], '--count must be a whole number.'],
    [[...ok, '--count', '1'], '--count must be at least 2.'],
    [[...ok, '--count', '10'], '--count must be at most 9.'],
    [[...ok, '--place', 'x'], '--place must be an address such as https://home.example.'],
    [[...ok, '--fast', '--name', 'hunter2'], '--fast and --name cannot be used together.'],
    [[...ok, '--with', 'x'], '--with also needs --name.'],
    [[...ok, '--some', 'x'], '--some also needs one of --name, --kind.'],
    [['e', '--only', 'x', '--kind', 'one', '--either', 'x'], '--only can be used only with --name.'],
    [['e'], 'Give exactly one of these: --either, --or.'],
    [[...ok, '--or', 'x'], '--either and --or cannot be used together.'],
  ])('%j: %s', async (argv, message) => {
    expect(await said(argv)).toBe(message);
  });

  it('repeats no word that is one too many, and says how a secret is given', async () => {
    const withSecret = { flags: { 'token-file': Flags.string() }, args: { address: Args.string() } };
    const message = await said(['node.example:7879', 'conclave-join-hunter2'], withSecret);
    expect(message).not.toContain('hunter2');
    expect(message).toContain('Secrets are given with --token-file.');
  });

  it('names required options, and choices of arguments', async () => {
    expect(await said([], { flags: { name: Flags.string({ required: true }) } })).toBe('--name is missing.');
    expect(await said(['x'], { args: { shell: Args.string({ options: ['bash', 'zsh'] }) } })).toBe(
      '"x" is not one of: bash, zsh.',
    );
    expect(await said([], { args: { shell: Args.string({ options: ['bash', 'zsh'], required: true }) } })).toBe(
      'SHELL is missing: bash, zsh.',
    );
  });
});
