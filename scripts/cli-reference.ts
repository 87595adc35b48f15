import type { Interfaces } from '@oclif/core';
import { allCommands, topicsBelow, type AnyCommand, type CommandTopic } from '../test/cli/all-commands.ts';

type Flag = Interfaces.OptionFlag<unknown> | Interfaces.BooleanFlag<unknown>;

interface Page {
  readonly words: string;
  readonly command: AnyCommand;
}

const shared = ['json', 'data-dir', 'config', 'server', 'ca'];

/** Every command that is not hidden, as `--help` tells it. */
export async function cliReference(): Promise<string> {
  const pages = [...(await allCommands())]
    .filter(([, command]) => !command.hidden)
    .map(([words, command]) => ({ words, command }));
  const groups = groupsOf(pages, await topicsBelow());
  return [
    ...groups.flatMap(listOf),
    '## Options of every command',
    '',
    'Every command takes `--json` and `--help`. Commands that need a store or a server also take these, unless their section says otherwise:',
    '',
    ...sharedFlags(pages),
    '',
    ...pages.flatMap(section),
  ]
    .join('\n')
    .trimEnd();
}

function groupsOf(pages: readonly Page[], topics: Readonly<Record<string, CommandTopic>>) {
  const named = namedTopics(topics);
  const groupOf = ({ words }: Page): string =>
    named
      .map(([name]) => name)
      .filter((name) => words === name || words.startsWith(`${name} `))
      .sort((one, other) => other.length - one.length)[0] ?? '';
  return [['', { description: 'To begin with' }] as const, ...named]
    .map(([name, { description }]) => ({
      title: description,
      members: pages.filter((page) => groupOf(page) === name),
    }))
    .filter(({ members }) => members.length > 0);
}

/** All topics, each below the words of those that it is in. */
function namedTopics(topics: Readonly<Record<string, CommandTopic>>, above = ''): (readonly [string, CommandTopic])[] {
  const named: (readonly [string, CommandTopic])[] = [];
  for (const [name, topic] of Object.entries(topics)) {
    named.push([above + name, topic], ...namedTopics(topic.subtopics ?? {}, `${above}${name} `));
  }
  return named;
}

function listOf({ title, members }: { readonly title: string; readonly members: readonly Page[] }): string[] {
  const links = members.map(
    ({ words, command }) => `- [\`conclave ${words}\`](#conclave-${slug(words)}): ${summaryOf(command)}`,
  );
  return [`**${title}**`, '', ...links, ''];
}

function slug(words: string): string {
  return words.replaceAll(' ', '-');
}

function summaryOf(command: AnyCommand): string {
  return plain(command.summary ?? command.description ?? '');
}

const code = /(CONCLAVE_[A-Z_]*[A-Z]|--[a-z][a-z-]*(?: [A-Z]+)?|(?:conclave|postgres):\/\/[^\s;,]*\w|\{\{[^}]*\}\})/;

/** What oclif fills in, code as code, and nothing that Markdown or HTML would take for its own. */
function plain(text: string): string {
  return text
    .replaceAll('<%= config.bin %>', 'conclave')
    .split(code)
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : escaped(part)))
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'))
    .replaceAll(/([*_[\]\\])/g, String.raw`\$1`);
}

function section({ words, command }: Page): string[] {
  const flags = Object.entries({ ...command.flags, ...command.baseFlags } as Record<string, Flag>);
  const own = flags.filter(([name, flag]) => !flag.hidden && !shared.includes(name));
  const missing = shared.filter((name) => !flags.some(([known]) => known === name));
  return [
    `## conclave ${words}`,
    '',
    `${summaryOf(command)}.`,
    '',
    '```',
    usage(words, command, own),
    '```',
    '',
    ...(command.summary ? paragraphs(command.description) : []),
    ...Object.entries(command.args).map(
      ([name, argument]) => `- \`${name.toUpperCase()}\`: ${plain(argument.description ?? '')}${choices(argument)}`,
    ),
    ...own.map(([name, flag]) => flagLine(name, flag)),
    ...(own.length + Object.keys(command.args).length > 0 ? [''] : []),
    ...(missing.length === 0 || missing.length === shared.length
      ? []
      : [`Without ${missing.map((name) => `\`--${name}\``).join(', ')}.`, '']),
    '```sh',
    ...examplesOf(command),
    '```',
    '',
  ];
}

function usage(words: string, command: AnyCommand, own: readonly (readonly [string, Flag])[]): string {
  const args = Object.entries(command.args).map(([name, { required }]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  const more = command.strict ? [] : ['…'];
  const required = own.filter(([, flag]) => flag.required).map(([name, flag]) => `--${name} ${valueOf(name, flag)}`);
  return [
    'conclave',
    words,
    ...args,
    ...more,
    ...required,
    ...(own.length > required.length ? ['[options]'] : []),
  ].join(' ');
}

function valueOf(name: string, flag: Flag): string {
  if (flag.type === 'boolean') return '';
  return String(flag.helpValue ?? flag.options?.join('|') ?? name.toUpperCase());
}

function flagLine(name: string, flag: Flag): string {
  const no = flag.type === 'boolean' && flag.allowNo ? '[no-]' : '';
  const value = flag.type === 'boolean' ? '' : ` ${valueOf(name, flag)}`;
  const short = flag.char ? `\`-${flag.char}\`, ` : '';
  const fallback =
    ['string', 'number'].includes(typeof flag.default) && flag.default !== ''
      ? `; default \`${String(flag.default)}\``
      : '';
  return `- ${short}\`--${no}${name}${value}\`: ${plain(flag.description ?? flag.summary ?? '')}${flag.type === 'option' ? choices(flag) : ''}${fallback}`;
}

function choices({ options }: { readonly options?: readonly string[] | undefined }): string {
  return options ? ` (${options.map((option) => `\`${option}\``).join(', ')})` : '';
}

function paragraphs(description: string | undefined): string[] {
  return (description ?? '').split('\n').flatMap((line) => (line === '' ? [] : [plain(line), '']));
}

function examplesOf(command: AnyCommand): string[] {
  return (command.examples ?? []).map((example) =>
    (typeof example === 'string' ? example : example.command).replaceAll('<%= config.bin %>', 'conclave'),
  );
}

function sharedFlags(pages: readonly Page[]): string[] {
  const all = pages.flatMap(({ command }) => Object.entries({ ...command.baseFlags, ...command.flags }));
  return shared.flatMap((name) => {
    const flag = all.find(([known]) => known === name)?.[1];
    return flag ? [flagLine(name, flag)] : [];
  });
}
