import { allCommands, flagsOfCommand, topicsBelow, type CommandTopic } from '../cli/all-commands.ts';
import { commandsPath, parseDocument, type Document } from './documents.ts';

type Topics = Readonly<Record<string, CommandTopic>>;

interface Script {
  readonly sharedFlags: readonly string[];
  commandsPage(commands: Readonly<Record<string, object>>, topics: Topics): string;
}

const script = (await import(String(new URL('../../scripts/commands-page.mjs', import.meta.url)))) as Script;

export const { sharedFlags } = script;

/** The page of commands as the build would write it, of the commands as they are. What an earlier build left in docs/ is not looked at. */
export async function commandsDocument(): Promise<Document> {
  const commands = [...(await allCommands())].map(
    ([words, command]) => [words, Object.assign(Object.create(command), { flags: flagsOfCommand(command) })] as const,
  );
  return parseDocument(commandsPath, script.commandsPage(Object.fromEntries(commands), await topicsBelow()));
}
