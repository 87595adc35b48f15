import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { execa } from 'execa';
import { completionScript, shells } from '../../src/cli/kit/completion/script.ts';
import { allCommands, flagsOfCommand } from '../cli/all-commands.ts';

/** bash is everywhere where tests run; the others where somebody has installed them. */
export async function installedShells(): Promise<ReadonlySet<string>> {
  const found = new Set(['bash']);
  for (const shell of ['zsh', 'fish'])
    if ((await execa(shell, ['--version'], { reject: false })).exitCode === 0) found.add(shell);
  return found;
}

export interface CompletionScripts extends AsyncDisposable {
  /** the script of each shell under the shell's name, and the program that they ask as `conclave` */
  readonly folder: string;
  readonly pathOf: (name: string) => string;
  /** with the program to be found, and nobody's own settings */
  readonly env: { readonly PATH: string; readonly HOME: string };
}

/**
 * The scripts of all shells in a folder of their own.
 * @param program what is called in place of conclave, as a script of sh that knows its folder
 */
export async function writeCompletionScripts(
  program: (folder: string) => string,
  topics: readonly { readonly name: string; readonly description: string }[] = [],
): Promise<CompletionScripts> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-completion-'));
  // As a manifest describes commands.
  const named = (items: Record<string, object>) =>
    Object.fromEntries(Object.entries(items).map(([name, item]) => [name, { ...item, name }]));
  const commands = [...(await allCommands())].map(([words, command]) => ({
    id: words.replaceAll(' ', ':'),
    summary: command.summary,
    hidden: command.hidden,
    flags: named(flagsOfCommand(command)),
    args: named(command.args),
  }));
  const config = { commands, topics } as unknown as Interfaces.Config;
  for (const shell of shells) await writeFile(join(folder, shell), completionScript(shell, config));
  await writeFile(join(folder, 'conclave'), `#!/bin/sh\n${program(folder)}`, { mode: 0o755 });
  return {
    folder,
    pathOf: (name) => join(folder, name),
    env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}
