// docs/commands.md, of what the commands say of themselves.

/** Of nearly every command: docs/cli.md has them once. */
export const sharedFlags = ['json', 'data-dir', 'config', 'server', 'ca'];

/**
 * Every command that is not hidden, as `--help` tells it.
 *
 * @param {Record<string, object>} commands by their words or ids, as in oclif's manifest: with the flags that all of a kind share
 * @param {Record<string, Topic>} topics
 */
export function commandsPage(commands, topics) {
  const pages = Object.entries(commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id, command]) => ({ words: id.replaceAll(':', ' '), command }))
    .sort((one, other) => (one.words < other.words ? -1 : 1));
  return [
    '# Every command',
    '',
    'The build writes this page. [The command line](cli.md) has what all commands have in common: exit codes, JSON, and the options of every command.',
    '',
    ...groupsOf(pages, topics).flatMap(listOf),
    ...pages.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** @typedef {{ description: string, subtopics?: Record<string, Topic> }} Topic see bin/topics.js */

function groupsOf(pages, topics) {
  const named = namedTopics(topics);
  const groupOf = ({ words }) =>
    named
      .map(([name]) => name)
      .filter((name) => words === name || words.startsWith(`${name} `))
      .sort((one, other) => other.length - one.length)[0] ?? '';
  return [['', { description: 'To begin with' }], ...named]
    .map(([name, { description }]) => ({
      title: description,
      members: pages.filter((page) => groupOf(page) === name),
    }))
    .filter(({ members }) => members.length > 0);
}

/** All topics, each below the words of those that it is in. */
function namedTopics(topics, above = '') {
  const named = [];
  for (const [name, topic] of Object.entries(topics)) {
    named.push([above + name, topic], ...namedTopics(topic.subtopics ?? {}, `${above}${name} `));
  }
  return named;
}

function listOf({ title, members }) {
  const links = members.map(
    ({ words, command }) => `- [\`conclave ${words}\`](#conclave-${slug(words)}): ${summaryOf(command)}`,
  );
  return [`**${title}**`, '', ...links, ''];
}

function slug(words) {
  return words.replaceAll(' ', '-');
}

function summaryOf(command) {
  return plain(command.summary ?? command.description ?? '');
}

const code = /(CONCLAVE_[A-Z_]*[A-Z]|--[a-z][a-z-]*(?: [A-Z]+)?|(?:conclave|postgres):\/\/[^\s;,]*\w|\{\{[^}]*\}\})/;

/** What oclif fills in, code as code, and nothing that Markdown or HTML would take for its own. */
function plain(text) {
  return text
    .replaceAll('<%= config.bin %>', 'conclave')
    .split(code)
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : escaped(part)))
    .join('');
}

function escaped(text) {
  return text
    .replaceAll(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'))
    .replaceAll(/([*_[\]\\])/g, String.raw`\$1`);
}

function section({ words, command }) {
  const flags = Object.entries(command.flags);
  // What is a command's alone comes first.
  const own = flags
    .filter(([name, flag]) => !flag.hidden && !sharedFlags.includes(name))
    .sort(([, one], [, other]) => Number(isOfAll(one)) - Number(isOfAll(other)));
  const missing = sharedFlags.filter((name) => !flags.some(([known]) => known === name));
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
    ...(missing.length === 0 || missing.length === sharedFlags.length
      ? []
      : [`Without ${missing.map((name) => `\`--${name}\``).join(', ')}.`, '']),
    '```sh',
    ...examplesOf(command),
    '```',
    '',
  ];
}

function isOfAll({ helpGroup }) {
  return helpGroup === 'GLOBAL';
}

function usage(words, command, own) {
  const args = Object.entries(command.args).map(([name, { required }]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  const more = command.strict === false ? ['…'] : [];
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

function valueOf(name, flag) {
  if (flag.type === 'boolean') return '';
  return String(flag.helpValue ?? flag.options?.join('|') ?? name.toUpperCase());
}

function flagLine(name, flag) {
  const no = flag.type === 'boolean' && flag.allowNo ? '[no-]' : '';
  const value = flag.type === 'boolean' ? '' : ` ${valueOf(name, flag)}`;
  const short = flag.char ? `\`-${flag.char}\`, ` : '';
  const fallback =
    ['string', 'number'].includes(typeof flag.default) && flag.default !== ''
      ? `; default \`${String(flag.default)}\``
      : '';
  return `- ${short}\`--${no}${name}${value}\`: ${plain(flag.description ?? flag.summary ?? '')}${flag.type === 'option' ? choices(flag) : ''}${fallback}`;
}

function choices({ options }) {
  return options ? ` (${options.map((option) => `\`${option}\``).join(', ')})` : '';
}

function paragraphs(description) {
  return (description ?? '').split('\n').flatMap((line) => (line === '' ? [] : [plain(line), '']));
}

function examplesOf(command) {
  return (command.examples ?? []).map((example) =>
    (typeof example === 'string' ? example : example.command).replaceAll('<%= config.bin %>', 'conclave'),
  );
}
