import { Problem, problemKinds } from '../../base/problem.ts';
import { givenToken } from '../../client/token-claims.ts';
import { fileReasons, isFileReason } from './file-reasons.ts';
import { escapeForTerminal, escapedJson, escapeLinesForTerminal } from './escape-for-terminal.ts';
import { Cancelled } from './prompts.ts';
import { paintFor, widthOf, type Terminal } from './terminal.ts';
import { wrapSaid } from './wrap-words.ts';
import { usageOf } from './usage-words.ts';
import { socialWordOf } from '../social/field-words.ts';
import { wordOf } from '../passvault/entries/entry-fields.ts';

/** The exit code that a shell reports after Ctrl-C: 128 + SIGINT. */
const cancelledExit = 130;

export interface ReportOptions extends Called {
  /** the options of the command, without dashes */
  readonly flags?: readonly string[];
  /** the arguments of the command, in their order */
  readonly args?: readonly string[];
  readonly json: boolean;
}

/**
 * Prints the problem to stderr, and what to do about it. With `--json` it is one line:
 * `{"error": {code, message, fields, hint?, retryAfterSeconds?}}`.
 *
 * @returns the exit code
 */
export function reportProblem(terminal: Terminal, error: unknown, options: ReportOptions): number {
  if (error instanceof Cancelled) return cancelledExit;
  const problem = asProblem(error);
  const { code, message, fields, retryAfterSeconds } = problem;
  const hint = hintFor(problem, options, givenToken(terminal.env) !== undefined);
  if (options.json) {
    const said = {
      code,
      message,
      fields,
      ...(hint !== undefined && { hint }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
    terminal.stderr.write(`${escapedJson({ error: said }, 0)}\n`);
  } else {
    const paint = paintFor(terminal.stderr, terminal.env);
    // The message of a validation error repeats its fields.
    const headline = code === 'VALIDATION_ERROR' && fields.length > 0 ? 'Some values are not valid.' : message;
    const width = widthOf(terminal.stderr);
    const said = wrapSaid(`Error: ${escapeLinesForTerminal(headline)}`, width);
    const lines = [said.replace('Error:', (label) => paint('red', label))];
    const unsaid = fields.filter((field) => !headline.includes(field.message));
    for (const field of unsaid)
      lines.push(
        `  ${paint('bold', escapeForTerminal(saidFor(field.path, options)))}: ${escapeForTerminal(field.message)}`,
      );
    if (hint !== undefined) lines.push(paint('dim', wrapSaid(hint, width)));
    terminal.stderr.write(`${lines.join('\n')}\n`);
  }
  if (terminal.env['CONCLAVE_DEBUG'] && error instanceof Error) terminal.stderr.write(`${stacksOf(error)}\n`);
  return problemKinds[problem.kind].exit;
}

/** Converts any error to a problem. oclif's errors about flags and arguments are invalid input; any other error is internal. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isUsageError(error)) return new Problem('invalid', 'USAGE', usageOf(error));
  if (isFileError(error))
    return new Problem('internal', error.code, `${error.path ?? 'A file'}: ${fileReasons[error.code]}.`, {
      cause: error,
    });
  const said = error instanceof Error ? error.message : String(error);
  return new Problem('internal', 'INTERNAL_ERROR', `An unexpected error occurred: ${said}`, { cause: error });
}

function isUsageError(error: unknown): error is Error {
  return error instanceof Error && ('oclif' in error || error.message.startsWith('Parsing --'));
}

function isFileError(error: unknown): error is NodeJS.ErrnoException & { code: keyof typeof fileReasons } {
  return error instanceof Error && 'syscall' in error && 'code' in error && isFileReason(error.code);
}

function stacksOf(error: Error): string {
  return error.cause instanceof Error ? `${error.stack}\nCaused by: ${stacksOf(error.cause)}` : String(error.stack);
}

/** The name of an API field on the command line: the option or the argument of the command, or the name in an assignment. */
export function saidFor(
  path: string,
  { command, flags = [], args = [] }: Pick<ReportOptions, 'command' | 'flags' | 'args'>,
): string {
  const flag =
    path
      .split('.')
      .at(-1)
      ?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) ?? '';
  if (flags.includes(flag)) return `--${flag}`;
  const social = /^(?:social|chat) /.test(command) ? socialWordOf(path, { flags, args }) : undefined;
  if (social !== undefined) return social;
  // A part of an option with several values, as in --columns title=Site.
  const [option = '', part] = path.split('.');
  if (part !== undefined && flags.includes(option)) return `--${option} ${wordOf(part) ?? part}`;
  // A command is about what its first argument names.
  const argument = path === 'id' ? args[0] : args.find((name) => path === `${name}Id`);
  if (argument !== undefined) return argument.toUpperCase();
  return command.startsWith('vault ') ? (wordOf(path) ?? path) : path;
}

export interface Called {
  /** the words of the command */
  readonly command: string;
  readonly server?: string | undefined;
}

/** The command that helps after a problem, if there is one. */
function hintFor(problem: Problem, { command, server }: Called, isTokenGiven: boolean): string | undefined {
  const at = server === undefined ? '' : ` --server ${server}`;
  switch (problem.code) {
    case 'TOKEN_INVALID':
      return `It takes what this prints: conclave login${at} --print-token`;
    case 'NOT_SIGNED_IN':
    case 'UNAUTHORIZED':
      // A sign-in would change nothing: the variable goes before it.
      return isTokenGiven
        ? `CONCLAVE_TOKEN was used. Get another token with: conclave login${at} --print-token`
        : `Sign in with: conclave login${at}`;
    case 'STORE_MISSING':
      return 'Create a store with: conclave init. If it is elsewhere, name it with --data-dir or CONCLAVE_DATA_DIR, or a server with --server.';
    case 'STORE_ELSEWHERE':
      return 'Choose a server with: conclave server use URL. For one command: --server URL.';
    case 'NODE_SECRET_MISSING':
      return 'Put the file back, or set CONCLAVE_NODE_SECRET_FILE to its path. A backup made with --with-secrets contains it: conclave admin store restore';
    case 'KEY_LOCKED':
      return `Sign in with the password: conclave login${at}`;
    case 'VAULT_LOCKED':
      return 'Open it with: conclave vault open NAME. Without a terminal: --master-password-file or CONCLAVE_MASTER_PASSWORD.';
    case 'MASTER_PASSWORD_UNKNOWN':
      return 'Set a new one with: conclave vault password NAME --recovered';
    case 'APPROVAL_REQUIRED':
      return 'On the command line, ask for it with: conclave files approval request';
    case 'USAGE':
    case 'SECRET_AS_ARGUMENT':
      return `See: conclave ${command === '' ? '' : `${command} `}--help`;
    default:
      return problem.retryAfterSeconds === undefined
        ? undefined
        : `Try again in ${Math.ceil(problem.retryAfterSeconds)} s.`;
  }
}
