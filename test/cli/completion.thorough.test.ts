import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedShells, writeCompletionScripts, type CompletionScripts } from '../support/completion-scripts.ts';
import { inStage } from '../support/stage.ts';

const installed = [...(await installedShells())];
const only = (shell: string) => installed.filter((one) => one === shell);

describe('completion', () => {
  let scripts: CompletionScripts;
  beforeAll(async () => {
    scripts = await writeCompletionScripts(
      () => 'printf "alice\\tx\\nbob\\ty\\n"\n',
      [{ name: 'account', description: "Your account: what's yours" }],
    );
  });
  afterAll(async () => await scripts[Symbol.asyncDispose]());

  it.each(installed)('has a script that %s can read', async (shell) => {
    expect(await execa(shell, ['-n', scripts.pathOf(shell)])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  const cases: [line: string, candidates: string[]][] = [
    ['conclave ac', ['account']],
    [
      'conclave account ',
      ['app-password', 'backup-codes', 'password', 'profile', 'recover', 'register', 'sessions', 'settings'],
    ],
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
        'account.remove-app-password',
        'account.replace-backup-codes',
        'account.request-direct-login',
      ],
    ],
    ['conclave admin members show ', ['alice', 'bob']],
    ['conclave admin nodes approve ', ['alice', 'bob']],
    ['conclave admin nodes remove ', ['alice', 'bob']],
    ['conclave mail send --to ', ['alice', 'bob']],
    ['conclave chat send a', ['alice']],
    ['conclave nonsense wh', ['whoami']],
  ];

  const tried = cases.filter((_, at) => at % inStage(3, 3, 1) === 0);

  it.each(tried)('completes "%s" in bash', async (line, candidates) => {
    const words = line.split(' ');
    const typed = `COMP_LINE='${line}'; COMP_POINT=${line.length}`;
    const run = `source ${scripts.pathOf('bash')}; ${typed}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _conclave; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execa('bash', ['-c', run], { env: scripts.env });
    expect(stdout.split('\n').sort()).toEqual(candidates);
  });

  it.each(only('fish'))('completes the same in %s', async () => {
    const lines = tried
      .map(([line]) => `complete -C '${line}' | string replace -r '\\t.*' '' | sort | string join ' '; true`)
      .join('\n');
    const { stdout } = await execa('fish', ['-c', `source ${scripts.pathOf('fish')}\n${lines}`], { env: scripts.env });
    expect(stdout.split('\n')).toEqual(tried.map(([, candidates]) => candidates.join(' ')));
  });

  it('keeps descriptions as they are, colons, quotes and dollars too', async () => {
    const described: Record<string, string> = {
      zsh: `'account:Your account: what'\\''s yours'`,
      fish: `-a account -d 'Your account: what\\'s yours'`,
    };
    for (const [shell, text] of Object.entries(described))
      expect(await readFile(scripts.pathOf(shell), 'utf8')).toContain(text);
  });

  it.each(only('fish'))('shows descriptions in %s', async () => {
    const { stdout } = await execa('fish', ['-c', `source ${scripts.pathOf('fish')}; complete -C 'conclave acc'`], {
      env: scripts.env,
    });
    expect(stdout).toBe("account\tYour account: what's yours");
  });

  it.each(only('zsh'))('completes commands in %s', async () => {
    // The functions that zsh's own completion system gives a script, so that it needs no terminal.
    const harness = `compdef() { :; }; compadd() { shift; print -l -- "\${(@P)1}"; }; _describe() { print -l -- "\${(@P)2%%:*}"; }; _files() { print files; }
source ${scripts.pathOf('zsh')}
try() { words=("$@"); CURRENT=$#; _conclave; }
try conclave ''; print '=='; try conclave account settings --no-; print '=='; try conclave call ''; print '=='; try conclave admin members show ''`;
    const { stdout } = await execa('zsh', ['-fc', harness], { env: scripts.env });
    const [top, flags, operations, names] = stdout
      .split(/^==$/m)
      .map((part) => part.split('\n').filter((line) => line !== ''));
    expect(top).toEqual(expect.arrayContaining(['account', 'admin', 'whoami']));
    expect(flags).toEqual(expect.arrayContaining(['--no-dark-mode', '--json']));
    expect(operations).toContain('account.verify');
    expect(names).toEqual(['alice', 'bob']);
  });
});
