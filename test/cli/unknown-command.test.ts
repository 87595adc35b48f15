import type { Config } from '@oclif/core';
import { expect, it } from 'vitest';
import { unknownCommand } from '../../src/cli/unknown-command.ts';

const config = {
  commands: ['init', 'serve', 'account:sessions', 'vault', 'vault:list'].map((id) => ({ id, hidden: false })),
} as unknown as Config;

it.each([
  [['inti'], 'There is no command "inti". Did you mean: init?'],
  [['frobnicate', '--json'], 'There is no command "frobnicate".'],
  [['-v'], 'There is no option "-v" without a command.'],
  [['init', 'extra'], 'init takes no argument "extra".'],
  [['account', 'sessions', 'all', '--json'], 'account sessions takes no argument "all".'],
  [['vault', 'lisst'], 'There is no command "vault lisst". Did you mean: vault list?'],
])('%j: %s', (argv, message) => {
  expect(unknownCommand(argv, config)).toMatchObject({ kind: 'invalid', code: 'USAGE', message });
});
