import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config, Interfaces } from '@oclif/core';
import type { ConclaveCommand } from '../../src/cli/kit/command.ts';

export type AnyCommand = (new (argv: string[], config: Config) => ConclaveCommand) & typeof ConclaveCommand;

const folder = fileURLToPath(new URL('../../commands', import.meta.url));

/** Every command, by its words. */
export async function allCommands(): Promise<ReadonlyMap<string, AnyCommand>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const loaded = files.map(async (file) => {
    const { default: command } = (await import(join(folder, file))) as { default: AnyCommand };
    return [file.replace(/\.ts$/, '').replaceAll(/[/\\]/g, ' '), command] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** What help says of a folder of commands. */
export interface CommandTopic {
  readonly description: string;
  readonly subtopics?: Readonly<Record<string, CommandTopic>>;
}

/** The topics of the commands in a folder, as the build finds them. */
export async function topicsBelow(below = folder): Promise<Readonly<Record<string, CommandTopic>>> {
  const program = new URL('../../bin/topics.js', import.meta.url);
  const loaded = (await import(program.href)) as {
    readonly default: { topicsBelow(folder: string): Readonly<Record<string, CommandTopic>> };
  };
  return loaded.default.topicsBelow(below);
}

/** Flags with those that all commands of a kind share. */
export function flagsOfCommand(
  command: AnyCommand,
): Record<string, Interfaces.OptionFlag<unknown> | Interfaces.BooleanFlag<unknown>> {
  return { ...command.baseFlags, ...command.flags };
}
