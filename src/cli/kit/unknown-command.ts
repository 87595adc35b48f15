import type { Interfaces } from '@oclif/core';
import { Problem } from '../../base/problem.ts';
import { nearest } from './nearest.ts';

const LONGEST_WORD = 24;

/** The problem for an unknown command, with similar commands. */
export function unknownCommand(argv: readonly string[], config: Interfaces.Config): Problem {
  const flagAt = argv.findIndex((word) => word.startsWith('-'));
  // No command has longer words. A longer one may be a token, which must not be repeated.
  const words = (flagAt === -1 ? argv : argv.slice(0, flagAt))
    .map((word) => (word.length > LONGEST_WORD ? `${word.slice(0, 12)}…` : word))
    .join(' ');
  if (words === '') return usage(`The option ${JSON.stringify(argv[0] ?? '')} needs a command.`);
  const known = new Set(config.commands.map(({ id }) => id.replaceAll(':', ' ')));
  for (let count = argv.length - 1; count > 0; count -= 1) {
    const command = argv.slice(0, count).join(' ');
    // The word may name both a command and a topic. The person then meant a command of that topic.
    if (!known.has(command) || [...known].some((other) => other.startsWith(`${command} `))) continue;
    return usage(`${command} does not accept another argument.`);
  }
  const visible = config.commands.filter(({ hidden }) => !hidden).map(({ id }) => id.replaceAll(':', ' '));
  const called = calledByOthers(words.split(' '), new Set(visible));
  if (called.length > 0)
    return usage(`There is no command ${JSON.stringify(words)}. Did you mean: conclave ${called.join(', conclave ')}?`);
  const near = nearest(words, visible);
  const meant = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
  return usage(`There is no command ${JSON.stringify(words)}.${meant}`);
}

/** The longest beginning of the words that is a topic or a command, whose help lists what there is; empty without one. */
export function topicOf(argv: readonly string[], { commands }: Interfaces.Config): string {
  for (let count = argv.length; count > 0; count -= 1) {
    const beginning = argv.slice(0, count).join(':');
    if (commands.some(({ id }) => id === beginning || id.startsWith(`${beginning}:`)))
      return argv.slice(0, count).join(' ');
  }
  return '';
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}

/** Names that other programs use for our commands, and names that other versions of this program may use. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  list: ['ls', 'dir', 'all'],
  get: ['show', 'cat', 'read', 'view', 'print', 'reveal'],
  show: ['get', 'view', 'info', 'cat'],
  add: ['new', 'insert', 'create', 'put', 'save'],
  create: ['new', 'add', 'make'],
  remove: ['rm', 'del', 'delete', 'trash'],
  destroy: ['rm', 'del', 'delete', 'remove'],
  edit: ['update', 'set', 'change', 'modify'],
  update: ['edit', 'set', 'change'],
  rename: ['mv', 'move'],
  open: ['unlock'],
  lock: ['close', 'seal'],
  find: ['search', 'grep'],
  copy: ['cp', 'clip', 'clipboard'],
  generate: ['gen', 'pwgen', 'random'],
  otp: ['totp', 'code', '2fa'],
  run: ['exec', 'env'],
  share: ['grant'],
  unshare: ['revoke'],
};

/** Words that stand for a whole command, for which no verb above applies. */
const whole: Readonly<Record<string, string>> = {
  signin: 'login',
  'sign-in': 'login',
  signout: 'logout',
  'sign-out': 'logout',
  signup: 'account register',
  register: 'account register',
  passwd: 'account password',
  start: 'serve',
  server: 'serve',
  users: 'admin members list',
  members: 'admin members list',
  nodes: 'admin nodes list',
  backup: 'admin store backup',
  restore: 'admin store restore',
};

/** The topics in which a verb without a topic is looked for. */
const topics = ['', 'vault '] as const;

/** The commands that other programs call by these words, the likeliest first. @param words without options */
function calledByOthers(words: readonly string[], commands: ReadonlySet<string>): string[] {
  const found: string[] = [];
  // Finds the longest beginning that stands for a command. The words after it are the arguments.
  for (let count = words.length; count > 0 && found.length === 0; count -= 1) {
    const beginning = words.slice(0, count).join(' ');
    // From here on the words name one of our topics, so a later word was mistyped.
    if ([...commands].some((command) => command === beginning || command.startsWith(`${beginning} `))) break;
    const topic = words.slice(0, count - 1).join(' ');
    const verb = words[count - 1] ?? '';
    const places = topic === '' ? topics : [`${topic} `];
    for (const place of places) {
      if (commands.has(place + verb) && count === 1) found.push(place + verb);
      for (const [ours, theirs] of Object.entries(verbs))
        if (theirs.includes(verb) && commands.has(place + ours)) found.push(place + ours);
    }
    const one = count === 1 && Object.hasOwn(whole, verb) ? whole[verb] : undefined;
    if (one !== undefined && commands.has(one)) found.unshift(one);
  }
  return [...new Set(found)];
}
