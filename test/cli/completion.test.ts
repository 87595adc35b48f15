import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, shells } from '../../src/cli/completion/script.ts';
import { allCommands, flagsOfCommand } from './all-commands.ts';

/** Commands as a manifest describes them. */
async function manifest(): Promise<Interfaces.Config> {
  const named = <T extends object>(items: Record<string, T>) =>
    Object.fromEntries(Object.entries(items).map(([name, item]) => [name, { ...item, name }]));
  const commands = [...(await allCommands())].map(([words, command]) => ({
    id: words.replaceAll(' ', ':'),
    summary: command.summary,
    flags: named(flagsOfCommand(command)),
    args: named(command.args),
  }));
  return {
    commands,
    topics: [{ name: 'account', description: "Your account: what's yours" }],
  } as unknown as Interfaces.Config;
}

/** bash is everywhere where tests run; the others where somebody has installed them. */
const installed: string[] = ['bash'];
for (const shell of ['zsh', 'fish']) {
  if ((await execa(shell, ['--version'], { reject: false })).exitCode === 0) installed.push(shell);
}
const only = (shell: string) => installed.filter((one) => one === shell);

describe('completion', () => {
  let folder: string;
  const script = (shell: string) => join(folder, shell);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-completion-'));
    const config = await manifest();
    for (const shell of shells) await writeFile(script(shell), completionScript(shell, config));
    await writeFile(join(folder, 'conclave'), '#!/bin/sh\nprintf "alice\\tx\\nbob\\ty\\n"\n', { mode: 0o755 });
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  it.each(installed)('has a script that %s can read', async (shell) => {
    expect(await execa(shell, ['-n', script(shell)])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  const cases: [line: string, candidates: string[]][] = [
    ['conclave ac', ['account']],
    ['conclave account ', ['backup-codes', 'password', 'profile', 'recover', 'register', 'sessions', 'settings']],
    ['conclave admin --json members su', ['suspend']],
    ['conclave whoami --s', ['--server']],
    ['conclave --server x whoami --j', ['--json']],
    ['conclave account settings --no-d', ['--no-dark-mode', '--no-direct-challenge']],
    ['conclave admin members list --status ', ['active', 'suspended']],
    ['conclave completion ', ['bash', 'fish', 'zsh']],
    [
      'conclave call account.re',
      [
        'account.recover',
        'account.recover-backup',
        'account.refresh-token',
        'account.register',
        'account.replace-backup-codes',
        'account.request-direct-login',
      ],
    ],
    ['conclave admin members show ', ['alice', 'bob']],
    ['conclave admin nodes approve ', ['alice', 'bob']],
    ['conclave admin nodes remove ', ['alice', 'bob']],
    ['conclave nonsense wh', ['whoami']],
  ];

  it.each(cases)('completes "%s" in bash', async (line, candidates) => {
    const words = line.split(' ');
    const run = `source ${script('bash')}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _conclave; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execa('bash', ['-c', run], { env: { PATH: `${folder}:${process.env['PATH']}` } });
    expect(stdout.split('\n').sort()).toEqual(candidates);
  });

  it.each(only('fish'))('completes the same in %s', async () => {
    const lines = cases
      .map(([line]) => `complete -C '${line}' | string replace -r '\\t.*' '' | sort | string join ' '; true`)
      .join('\n');
    const { stdout } = await execa('fish', ['-c', `source ${script('fish')}\n${lines}`], {
      env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder },
    });
    expect(stdout.split('\n')).toEqual(cases.map(([, candidates]) => candidates.join(' ')));
  });

  it('keeps descriptions as they are, colons, quotes and dollars too', async () => {
    const described: Record<string, string> = {
      zsh: `'account:Your account: what'\\''s yours'`,
      fish: `-a account -d 'Your account: what\\'s yours'`,
    };
    for (const [shell, text] of Object.entries(described))
      expect(await readFile(script(shell), 'utf8')).toContain(text);
  });

  it.each(only('fish'))('shows descriptions in %s', async () => {
    const { stdout } = await execa('fish', ['-c', `source ${script('fish')}; complete -C 'conclave acc'`], {
      env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder },
    });
    expect(stdout).toBe("account\tYour account: what's yours");
  });

  it.each(only('zsh'))('completes commands in %s', async () => {
    // The functions that zsh's own completion system gives a script, so that it needs no terminal.
    const harness = `compdef() { :; }; compadd() { shift; print -l -- "\${(@P)1}"; }; _describe() { print -l -- "\${(@P)2%%:*}"; }; _files() { print files; }
source ${script('zsh')}
try() { words=("$@"); CURRENT=$#; _conclave; }
try conclave ''; print '=='; try conclave account settings --no-; print '=='; try conclave call ''; print '=='; try conclave admin members show ''`;
    const { stdout } = await execa('zsh', ['-fc', harness], { env: { PATH: `${folder}:${process.env['PATH']}` } });
    const [top, flags, operations, names] = stdout
      .split(/^==$/m)
      .map((part) => part.split('\n').filter((line) => line !== ''));
    expect(top).toEqual(expect.arrayContaining(['account', 'admin', 'whoami']));
    expect(flags).toEqual(expect.arrayContaining(['--no-dark-mode', '--json']));
    expect(operations).toContain('account.verify');
    expect(names).toEqual(['alice', 'bob']);
  });
});
