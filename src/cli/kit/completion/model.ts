import type { Command, Interfaces } from '@oclif/core';

/** The kinds of words on the command line, for shells that complete them. */
export type Words =
  | {
      readonly kind:
        | 'none'
        | 'files'
        | 'members'
        | 'nodes'
        | 'pending-nodes'
        | 'vaults'
        | 'entries'
        | 'addresses'
        | 'people';
    }
  | { readonly kind: 'these'; readonly words: readonly string[] };

export interface CompletedFlag {
  /** with its dashes */
  readonly name: string;
  readonly description: string;
  /** undefined: takes no value */
  readonly value: Words | undefined;
}

/** A command or a topic, by its words. The entry without words is `conclave` itself. */
export interface CompletedCommand {
  readonly words: string;
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly CompletedFlag[];
  readonly argument: Words;
}

/** Everything that can be completed, from the manifest. @param operations ids for `call` */
export function completionModel(config: Interfaces.Config, operations: readonly string[]): CompletedCommand[] {
  const commands = config.commands.filter((command) => !command.hidden);
  const descriptions = new Map<string, string>(
    config.topics.map(({ name, description }) => [wordsOf(name), description ?? '']),
  );
  for (const { id, summary } of commands) descriptions.set(wordsOf(id), summary ?? '');
  const byWords = new Map(commands.map((command) => [wordsOf(command.id), command]));
  const parents = [...byWords.keys()].flatMap((words) =>
    words.split(' ').map((_, index, all) => all.slice(0, index).join(' ')),
  );
  const everything = [...new Set([...parents, ...byWords.keys()])].sort();
  return everything.map((words) => {
    const depth = words === '' ? 0 : words.split(' ').length;
    const below = everything.filter(
      (other) =>
        other !== '' && other.split(' ').length === depth + 1 && (depth === 0 || other.startsWith(`${words} `)),
    );
    const command = byWords.get(words);
    return {
      words,
      children: below.map((child) => ({
        name: child.split(' ').at(-1) ?? child,
        description: plain(descriptions.get(child)),
      })),
      flags: command === undefined ? [] : flagsFor(command),
      argument: argumentOf(command, operations),
    };
  });
}

function flagsFor(command: Command.Loadable): CompletedFlag[] {
  return Object.values(command.flags)
    .filter((flag) => !flag.hidden)
    .flatMap((flag): CompletedFlag[] => {
      const description = plain(flag.description ?? flag.summary);
      if (flag.type === 'boolean') {
        const yes = { name: `--${flag.name}`, description, value: undefined };
        return flag.allowNo ? [yes, { ...yes, name: `--no-${flag.name}` }] : [yes];
      }
      return [{ name: `--${flag.name}`, description, value: valueOf(flag) }];
    });
}

function valueOf(flag: { name: string; options?: readonly string[]; helpValue?: string | string[] }): Words {
  if (flag.options !== undefined) return { kind: 'these', words: flag.options };
  if (flag.name === 'vault') return { kind: 'vaults' };
  if (flag.helpValue === 'ADDRESS') return { kind: 'addresses' };
  return { kind: flag.helpValue === 'FILE' || flag.helpValue === 'DIR' ? 'files' : 'none' };
}

function argumentOf(command: Command.Loadable | undefined, operations: readonly string[]): Words {
  const [first] = Object.values(command?.args ?? {});
  if (first === undefined) return { kind: 'none' };
  if (first.options !== undefined) return { kind: 'these', words: first.options };
  switch (first.name) {
    case 'operation':
      return { kind: 'these', words: operations };
    case 'member':
      return { kind: 'members' };
    case 'with':
      return { kind: 'people' };
    case 'node':
      return { kind: /:(?:approve|deny)$/.test(command?.id ?? '') ? 'pending-nodes' : 'nodes' };
    case 'vault':
      return { kind: 'vaults' };
    case 'entry':
      return { kind: 'entries' };
    case 'file':
      return { kind: 'files' };
    default:
      return { kind: 'none' };
  }
}

/** The command that completes the beginning of a word: vaults, each with a slash at the end, or entries after the name of a vault. */
export const vaultListing = 'conclave vault complete --';

/** The command that completes the beginning of a word from contacts; undefined if they do not have such words. */
export function contactListing({ kind }: Words): string | undefined {
  if (kind === 'addresses') return 'conclave contacts complete --';
  return kind === 'people' ? 'conclave contacts complete --members --' : undefined;
}

/** The command that prints the words in its first column; undefined if no command lists them. */
export function listingOf({ kind }: Words): string | undefined {
  switch (kind) {
    case 'members':
      return 'conclave admin members list';
    case 'nodes':
      return 'conclave admin nodes list';
    case 'pending-nodes':
      return 'conclave admin nodes pending';
    default:
      return undefined;
  }
}

function wordsOf(id: string): string {
  return id.replaceAll(':', ' ');
}

/** Puts the text on one line. Each shell's script does its own quoting. */
function plain(text: string | undefined): string {
  return (text ?? '').replace(/\n.*/s, '');
}
