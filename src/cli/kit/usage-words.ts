import { nearest } from './nearest.ts';

/** The parts of oclif's errors that contain more than their text. */
interface ParseError extends Error {
  readonly flags?: readonly string[];
  readonly args?: readonly (
    | string
    | { readonly name: string; readonly description?: string; readonly options?: readonly string[] }
  )[];
  readonly parse?: {
    readonly input?: {
      readonly flags?: Readonly<Record<string, { readonly hidden?: boolean; readonly allowNo?: boolean }>>;
    };
  };
}

/** Our message for an error of the parser: the problem, and the correct usage. It repeats no value that may be a secret. */
export function usageOf(error: ParseError): string {
  const message = error.message
    // oxlint-disable-next-line no-control-regex -- it dims some of them
    .replaceAll(/\u001b\[\d*m/g, '')
    .replace(/\n?See more help with --help$/, '');
  if (message.startsWith('Nonexistent flag') && error.flags !== undefined) return unknownFlags(error.flags, error);
  if (message.startsWith('Unexpected argument') && error.args !== undefined) return tooMany(error.args.length, error);
  if (/^Missing \d+ required arg/.test(message) && error.args !== undefined) return missing(error.args);
  const several = /^The following errors? occurred:\n([\s\S]*)$/.exec(message)?.[1];
  if (several !== undefined)
    return several
      .split('\n')
      .map((reason) => said(reason.trim()))
      .join(' ');
  const [, flag, reason] = /^Parsing (--\S+)\s*\n\t([\s\S]*)$/.exec(message) ?? [];
  if (flag === undefined || reason === undefined) return said(message);
  return valueOf(flag, reason);
}

function unknownFlags(flags: readonly string[], { parse }: ParseError): string {
  const known = Object.entries(parse?.input?.flags ?? {})
    .filter(([, { hidden }]) => hidden !== true)
    .flatMap(([name, { allowNo }]) => (allowNo === true ? [`--${name}`, `--no-${name}`] : [`--${name}`]));
  return flags
    .map((flag) => {
      const name = flag.replace(/=.*/s, '');
      const near = nearest(name, known);
      return `There is no option ${name}.${near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`}`;
    })
    .join(' ');
}

/** It repeats no word, because what is one too many may be a password or a join token. */
function tooMany(count: number, { parse }: ParseError): string {
  const flags = Object.keys(parse?.input?.flags ?? {});
  const ofSecrets = flags.filter((flag) => flag.endsWith('-file') && !flags.includes(flag.slice(0, -'-file'.length)));
  return [
    count === 1 ? 'There is one argument too many.' : `There are ${count} arguments too many.`,
    'A name with spaces needs quotes.',
    ...(ofSecrets.length === 0 ? [] : [`Secrets are given with --${ofSecrets.join(', --')}.`]),
  ].join(' ');
}

function missing(args: NonNullable<ParseError['args']>): string {
  return args
    .map((arg) => {
      if (typeof arg === 'string') return `${arg.toUpperCase()} is missing.`;
      const { name, description, options } = arg;
      const what = [description, options?.join(', ')].filter((text) => text !== undefined && text !== '').join(': ');
      return `${name.toUpperCase()} is missing${what === '' ? '' : `: ${what}`}.`;
    })
    .join(' ');
}

function valueOf(flag: string, reason: string): string {
  const [, bound, limit] = /^Expected an integer (greater|less) than or equal to (-?\d+) /.exec(reason) ?? [];
  if (bound !== undefined) return `${flag} must be at ${bound === 'greater' ? 'least' : 'most'} ${limit}.`;
  if (reason.startsWith('Expected an integer')) return `${flag} must be a whole number.`;
  if (reason.startsWith('Expected a valid url')) return `${flag} must be an address such as https://home.example.`;
  return `${flag}: ${reason}`;
}

/** Messages of oclif as patterns, and our own messages for them. $1 and $2 are parts of the original. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^Expected (--\S+?)=[\s\S]* to be one of: (.*)$/, '$1 must be one of: $2.'],
  [/^Expected ([\s\S]*) to be one of: (.*)$/, '"$1" is not one of: $2.'],
  [/^Flag (--\S+) can only be specified once$/, '$1 is given more than once.'],
  [/^Flag (--\S+) expects one of these values: (.*)$/, '$1 needs a value, one of: $2.'],
  [/^Flag (--\S+) expects a value$/, '$1 needs a value.'],
  [/^Flag (--\S+) can only be read from stdin.*$/s, '$1 is read from standard input. Give - or no value.'],
  [/^(--[^\s=]+)(?:=[\s\S]*)? cannot also be provided when using (--\S+)$/, '$2 and $1 cannot be used together.'],
  [/^All of the following must be provided when using (--[^\s:]+): (.*)$/, '$1 also needs $2.'],
  [/^One of the following must be provided when using (--[^\s:]+): (.*)$/, '$1 also needs one of $2.'],
  [/^Only the following can be provided when using (--[^\s:]+): (.*)$/, '$1 can be used only with $2.'],
  [/^Exactly one of the following must be provided: (.*)$/, 'Give exactly one of these: $1.'],
  [/^At least one of the following must be provided: (.*)$/, 'Give one of these: $1.'],
  [/^Missing required flag (\S+)$/, '--$1 is missing.'],
  [/^Unexpected flag (\S+)$/, 'There is no option $1.'],
  [/^No (file|directory) found at ([\s\S]*)$/, '$2 does not exist.'],
  [/^([\s\S]*) exists but is not a file$/, '$1 is not a file.'],
  [/^([\s\S]*) exists but is not a directory$/, '$1 is not a folder.'],
  [/^Missing \d+ required args?$/, 'An argument is missing.'],
];

function said(message: string): string {
  const found = sentences.find(([pattern]) => pattern.test(message));
  return found === undefined ? message.replaceAll(/\s*\n\t?/g, ': ') : message.replace(...found);
}
