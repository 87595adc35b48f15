import type { Config } from '@oclif/core';
import { expect, it } from 'vitest';
import { topicOf, unknownCommand } from '../../src/cli/kit/unknown-command.ts';

const config = {
  commands: [
    'init',
    'serve',
    'login',
    'logout',
    'account:sessions',
    'admin:members:list',
    'admin:members:show',
    'admin:members:promote',
    'admin:members:demote',
    'vault',
    'vault:list',
    'vault:get',
    'vault:add',
    'vault:create',
    'vault:remove',
    'vault:destroy',
    'vault:rename',
    'vault:open',
    'vault:lock',
    'vault:share',
    'vault:unshare',
    'vault:import',
    'vault:export',
  ].map((id) => ({ id, hidden: false })),
} as unknown as Config;

it.each([
  [['inti'], 'There is no command "inti". Did you mean: init?'],
  [['frobnicate', '--json'], 'There is no command "frobnicate".'],
  [['-v'], 'The option "-v" needs a command.'],
  [['init', 'extra'], 'init does not accept another argument.'],
  [['account', 'sessions', 'all', '--json'], 'account sessions does not accept another argument.'],
  [['vault', 'lisst'], 'There is no command "vault lisst". Did you mean: vault list?'],
  [['ls'], 'There is no command "ls". Did you mean: conclave vault list?'],
  [['show', 'Work/GitHub'], 'There is no command "show Work/GitHub". Did you mean: conclave vault get?'],
  [['new'], 'There is no command "new". Did you mean: conclave vault add, conclave vault create?'],
  [['rm', 'x', '--json'], 'There is no command "rm x". Did you mean: conclave vault remove, conclave vault destroy?'],
  [['mv', 'a', 'b'], 'There is no command "mv a b". Did you mean: conclave vault rename?'],
  [['unlock'], 'There is no command "unlock". Did you mean: conclave vault open?'],
  [['vault', 'unlock', 'Work'], 'There is no command "vault unlock Work". Did you mean: conclave vault open?'],
  [['vault', 'ls'], 'There is no command "vault ls". Did you mean: conclave vault list?'],
  [['admin', 'members', 'ls'], 'There is no command "admin members ls". Did you mean: conclave admin members list?'],
  [['get', 'Work/x'], 'There is no command "get Work/x". Did you mean: conclave vault get?'],
  [['users'], 'There is no command "users". Did you mean: conclave admin members list?'],
  [['signin'], 'There is no command "signin". Did you mean: conclave login?'],
  [['logn'], 'There is no command "logn". Did you mean: login?'],
  [['vault', 'shar'], 'There is no command "vault shar". Did you mean: vault share?'],
  [['vault', 'unshar'], 'There is no command "vault unshar". Did you mean: vault unshare?'],
  [['vault', 'imprt'], 'There is no command "vault imprt". Did you mean: vault import?'],
  [['admin', 'members', 'demot'], 'There is no command "admin members demot". Did you mean: admin members demote?'],
])('%j: %s', (argv, message) => {
  expect(unknownCommand(argv, config)).toMatchObject({ kind: 'invalid', code: 'USAGE', message });
});

it.each([
  [['admin', 'members', 'nope', '--json'], 'admin members'],
  [['admin', 'nope'], 'admin'],
  [['vault', 'shar'], 'vault'],
  [['init', 'extra'], 'init'],
  [['frobnicate'], ''],
  [['--json'], ''],
])('the help after %j is that of %j', (argv, topic) => {
  expect(topicOf(argv, config)).toBe(topic);
});
