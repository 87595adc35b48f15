// The pages of the manual, of what the commands say of themselves: conclave(1), and one for each first word, such as conclave-vault(1).

/** Shown once for all commands instead of with each. */
const shared = new Set(['json', 'data-dir', 'config', 'server', 'ca']);

/** @typedef {{ name: string, text: string }} Page */

/**
 * @param {{ commands: Record<string, object> }} manifest of oclif
 * @param {Record<string, { description: string }>} topics by their first words
 * @param {{ version: string, description: string, date: string }} about `date` as year, month and day
 * @param {{ code: string, meaning: string }[]} exitCodes
 * @returns {Page[]}
 */
export function manPages(manifest, topics, about, exitCodes) {
  const commands = Object.entries(manifest.commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id, command]) => Object.assign(Object.create(command), { words: id.replaceAll(':', ' ') }));
  const groups = Map.groupBy(commands, ({ words }) => words.split(' ')[0]);
  const pages = [...groups].map(([word, members]) => ({
    word,
    members,
    summary: topics[word]?.description ?? summaryOf(members[0]),
  }));
  return [
    { name: 'conclave.1', text: overview(pages, about, exitCodes) },
    ...pages.map((page) => ({ name: `conclave-${page.word}.1`, text: pageOf(page, about) })),
  ];
}

function overview(pages, about, exitCodes) {
  return lines([
    head('conclave', about),
    '.SH NAME',
    `conclave \\- ${escaped(uncapped(about.description.replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    '.B conclave',
    '.I COMMAND',
    '[options]',
    '.SH DESCRIPTION',
    'One program is the command line and the server. Begin with:',
    ...example(['conclave init', 'conclave serve', 'conclave login NAME']),
    'A page of its own tells of each of the following commands.',
    '.SH COMMANDS',
    ...pages.flatMap(({ word, summary }) => item(`conclave\\-${escaped(word)}\\fR(1)`, summary)),
    '.SH OPTIONS OF EVERY COMMAND',
    ...[...shared].flatMap((name) => flagItem(name, flagOf(pages, name))),
    ...item(escaped('--help'), 'show help; also of each command'),
    ...item(escaped('--version [--verbose]'), 'show the version, or everything that the program consists of'),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(({ code, meaning }) => item(code, meaning)),
    '.SH FILES',
    ...item('/var/lib/conclave', 'the store of the service. Losing node.secret in it is losing the node.'),
    ...item('/etc/default/conclave', 'variables for the service'),
    ...item('/usr/share/doc/conclave', 'the guides: configuration, security, backups, upgrades'),
    '.SH SEE ALSO',
    `${pages.map(({ word }) => `.BR conclave\\-${escaped(word)} (1)`).join(' ,\n')}`,
  ]);
}

function pageOf({ word, members, summary }, about) {
  return lines([
    head(`conclave-${word}`, about),
    '.SH NAME',
    `conclave\\-${escaped(word)} \\- ${escaped(uncapped(summary))}`,
    '.SH SYNOPSIS',
    ...members.flatMap((command) => [
      `.B ${escaped(`conclave ${command.words}`)}`,
      guarded(escaped(usageOf(command))),
      '.br',
    ]),
    '.SH COMMANDS',
    ...members.flatMap(commandSection),
    '.SH SEE ALSO',
    '.BR conclave (1)',
  ]);
}

function commandSection(command) {
  const flags = Object.entries(command.flags ?? {}).filter(([name, flag]) => !flag.hidden && !shared.has(name));
  return [
    `.SS ${escaped(`conclave ${command.words}`)}`,
    `${sentence(summaryOf(command))}`,
    ...(command.summary ? paragraphs(command.description) : []),
    ...Object.entries(command.args ?? {}).flatMap(([name, argument]) =>
      item(escaped(name.toUpperCase()), `${argument.description ?? ''}${choices(argument)}`),
    ),
    ...flags.flatMap(([name, flag]) => flagItem(name, flag)),
    ...(command.examples?.length > 0 ? ['.PP', 'Examples:', ...example(command.examples.map(exampleText))] : []),
  ];
}

function usageOf({ args = {}, strict }) {
  const words = Object.entries(args).map(([name, { required }]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return [...words, ...(strict === false ? ['...'] : []), '[options]'].join(' ');
}

/** One that all commands with it have alike. */
function flagOf(pages, name) {
  return pages.flatMap(({ members }) => members).find(({ flags }) => flags?.[name] !== undefined).flags[name];
}

function flagItem(name, flag) {
  return item(flagWords(name, flag), `${flag.description ?? flag.summary ?? ''}${flag.helpValue ? choices(flag) : ''}`);
}

function flagWords(name, flag) {
  const value = flag.type === 'boolean' ? '' : ` ${flag.helpValue ?? flag.options?.join('|') ?? name.toUpperCase()}`;
  const short = flag.char ? `-${flag.char}, ` : '';
  return escaped(`${short}--${flag.allowNo ? '[no-]' : ''}${name}${value}`);
}

function choices({ options }) {
  return options === undefined ? '' : ` (${options.join(', ')})`;
}

function summaryOf({ summary, description = '' }) {
  return filled(summary ?? description.split('\n')[0]);
}

function exampleText(one) {
  return filled(typeof one === 'string' ? one : one.command);
}

/** What oclif fills in. */
function filled(text) {
  return text.replaceAll('<%= config.bin %>', 'conclave');
}

function head(name, { version, date }) {
  return `.TH ${escaped(name.toUpperCase())} 1 ${date} "conclave ${version}" "Conclave"`;
}

function item(words, text) {
  return ['.TP', `\\fB${words}\\fR`, text === '' ? '\\&' : guarded(escaped(filled(text)))];
}

function example(all) {
  return [
    '.PP',
    '.nf',
    '.RS',
    ...all.flatMap((text) => text.split('\n')).map((text) => guarded(escaped(text))),
    '.RE',
    '.fi',
    '.PP',
  ];
}

function paragraphs(text = '') {
  return filled(text)
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : ['.PP', guarded(escaped(line.trim()))]));
}

function sentence(text) {
  return guarded(escaped(/[.!?]$/.test(text) ? text : `${text}.`));
}

function uncapped(text) {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Signs that mean something to roff, and those that it has no character for. Its minus can be copied into a command line. */
function escaped(text) {
  const signs = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti' };
  return text
    .replaceAll(/[\\\-'`^~]/g, (sign) => signs[sign])
    .replaceAll(/[^\n -~]/gu, (sign) => `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

/** A line that begins with a point would be a request. */
function guarded(text) {
  return text.replaceAll(/^\./gm, '\\&.');
}

function lines(all) {
  return `${all.join('\n')}\n`;
}
