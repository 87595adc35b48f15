import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import ShowConfig from '../../commands/config/show.ts';
import Status from '../../commands/status.ts';
import { unknownVariables } from '../../src/cli/kit/unknown-variables.ts';
import { options, variableOf } from '../../src/config/options.ts';
import { allCommands, flagsOfCommand } from './all-commands.ts';
import { openHome } from './home.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const named = /\bCONCLAVE_[A-Z\d]+(?:_[A-Z\d]+)*\b/g;

const said = async (...names: string[]) =>
  await unknownVariables(Object.fromEntries(names.map((name) => [name, 'hush'])));

describe('variables that nobody reads', () => {
  it.each([
    ['CONCLAVE_PROT', 'CONCLAVE_PORT'],
    ['CONCLAVE_RATE_LIMIT', 'CONCLAVE_RATE_LIMITS'],
    ['CONCLAVE_SIGN_IN_PER_ACCOUNT', 'CONCLAVE_LIMITS_SIGN_IN_PER_ACCOUNT'],
    ['CONCLAVE_SERVER_TLS_CERT', 'CONCLAVE_TLS_CERT'],
    ['CONCLAVE_ADMIN_PASSWORD_FIEL', 'CONCLAVE_ADMIN_PASSWORD_FILE'],
    ['CONCLAVE_TOKE', 'CONCLAVE_TOKEN'],
  ])('%s may be meant to be %s', async (name, meant) => {
    expect(await said(name)).toEqual([`${name} is not a variable of Conclave, and has no effect; is ${meant} meant?`]);
  });

  it('are named each, harmlessly, and never with what they hold', async () => {
    expect(await said('CONCLAVE_B', 'CONCLAVE_PORT', 'CONCLAVE_\u001b[2J', 'PATH')).toEqual([
      'CONCLAVE_B is not a variable of Conclave, and has no effect.',
      'CONCLAVE_\\x1b[2J is not a variable of Conclave, and has no effect.',
    ]);
  });

  it('are not those of options, of secrets and of commands, nor empty ones, nor those that Kubernetes sets', async () => {
    expect(await said(...Object.values(options).map(({ key }) => variableOf(key)))).toEqual([]);
    expect(await unknownVariables({ CONCLAVE_PROT: '', CONCLAVE_TOKE: undefined })).toEqual([]);
    const ofService = ['CONCLAVE_SERVICE_HOST', 'CONCLAVE_SERVICE_PORT', 'CONCLAVE_SERVICE_PORT_HTTP'];
    const ofPort = ['CONCLAVE_PORT_7878_TCP', 'CONCLAVE_PORT_7878_TCP_ADDR', 'CONCLAVE_WEB_PORT_443_TCP_PROTO'];
    expect(await said(...ofService, ...ofPort, 'CONCLAVE_WEB_SERVICE_HOST')).toEqual([]);
  });

  it('are not those that a flag, the program, a script or the manual names', async () => {
    const texts = [await readFile(join(root, 'docs/configuration.md'), 'utf8')];
    for (const command of (await allCommands()).values())
      for (const { description } of Object.values(flagsOfCommand(command))) texts.push(description ?? '');
    for (const folder of ['src', 'commands', 'scripts'])
      for (const file of await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
        if (file.isFile()) texts.push(await readFile(join(file.parentPath, file.name), 'utf8'));
    const names = new Set(texts.flatMap((text) => text.match(named) ?? []));
    expect(names.size).toBeGreaterThan(60);
    expect(await said(...names)).toEqual([]);
  });
});

it('a mistyped variable is told by config show and status, which answer all the same', async () => {
  await using home = await openHome('process');
  for (const command of [ShowConfig, Status]) {
    const run = await home.run(command, ['--json'], { env: { CONCLAVE_PROT: '8080' } });
    expect(run).toMatchObject({
      code: 0,
      stderr: 'Warning: CONCLAVE_PROT is not a variable of Conclave, and has no effect; is CONCLAVE_PORT meant?\n',
    });
    expect(run.json()).toBeTypeOf('object');
  }
});
