import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript } from '../../../src/cli/completion/script.ts';
import { allCommands, flagsOfCommand } from '../all-commands.ts';

describe('completion of vaults and entries in bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-vault-completion-'));
    const named = (items: Record<string, object>) =>
      Object.fromEntries(Object.entries(items).map(([name, item]) => [name, { ...item, name }]));
    const commands = [...(await allCommands())].map(([words, command]) => ({
      id: words.replaceAll(' ', ':'),
      summary: command.summary,
      hidden: command.hidden,
      flags: named(flagsOfCommand(command)),
      args: named(command.args),
    }));
    await writeFile(
      join(folder, 'script'),
      completionScript('bash', { commands, topics: [] } as unknown as Interfaces.Config),
    );
    // Says what it was asked, and answers names with all that a shell acts on.
    const program = `#!/bin/sh
echo "$*" >> ${folder}/asked
case "$4" in */*) printf 'My Work/a b\\nMy Work/$(x) * "q"\\n' ;; *) printf 'My Work/\\nHome/\\n' ;; esac
`;
    await writeFile(join(folder, 'conclave'), program, { mode: 0o755 });
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const complete = async (words: string[]) => {
    const list = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const run = `source ${folder}/script; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _conclave; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execa('bash', ['-c', run], { env: { PATH: `${folder}:${process.env['PATH']}` } });
    return stdout.split('\n');
  };

  it('lists the commands of the topic, without those that nobody types', async () => {
    const names = await complete(['conclave', 'vault', '']);
    expect(names).toEqual(expect.arrayContaining(['list', 'get', 'run', 'emergency', 'git-credential']));
    expect(names).not.toContain('complete');
    expect(names).not.toContain('clear-clipboard');
  });

  it('names vaults', async () => {
    expect(await complete(['conclave', 'vault', 'open', ''])).toEqual(['My\\ Work', 'Home']);
    expect(await complete(['conclave', 'vault', 'find', '--vault', ''])).toEqual(['My\\ Work', 'Home']);
  });

  it('names entries behind their vaults, fit for the shell', async () => {
    expect(await complete(['conclave', 'vault', 'get', ''])).toEqual(['My\\ Work/', 'Home/']);
    const names = await complete(['conclave', 'vault', 'get', 'My\\ Work/']);
    expect(names).toEqual(['My\\ Work/a\\ b', 'My\\ Work/\\$\\(x\\)\\ \\*\\ \\"q\\"']);
    const { stdout } = await execa('cat', [join(folder, 'asked')]);
    expect(stdout.split('\n').at(-1)).toBe('vault complete -- My Work/');
  });
});
