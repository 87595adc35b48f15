import { Problem } from '../problem.ts';
import type { Terminal } from './terminal.ts';

export interface Question {
  readonly message: string;
  /** @returns what is wrong with an answer, or undefined */
  readonly check?: (answer: string) => string | undefined;
  readonly fallback?: string;
  /** Escape is Ctrl-C; nothing of a secret's question stays on the screen then */
  readonly escape?: boolean;
}

/** Questions to whoever sits at the terminal. They and what is typed go to stderr, secrets are hidden. */
export interface Prompts {
  text(question: Question): Promise<string>;
  secret(question: Question): Promise<string>;
  choice(question: Question, choices: readonly string[]): Promise<string>;
  confirm(message: string): Promise<boolean>;
  /** one of a few things; Escape is Ctrl-C here and below, and nothing of the list stays on the screen */
  menu<T>(message: string, items: readonly Item<T>[]): Promise<T>;
  /** one of many things, narrowed down while it is typed */
  search<T>(message: string, source: (term: string) => readonly Item<T>[]): Promise<T>;
}

interface Manner {
  readonly escape?: boolean | undefined;
  readonly clear?: boolean | undefined;
}

export interface Item<T> {
  readonly name: string;
  readonly value: T;
  /** what is left of the line when it was taken */
  readonly short?: string;
  /** shown below the list while the item is marked */
  readonly description?: string;
}

/** Lines of a list that is searched; with the question and what stands below it, it fits on a terminal of 24. */
const searchLines = 14;

/** Ctrl-C or Ctrl-D at a question: the command ends without a word. */
export class Cancelled extends Error {}

export function prompts({ stdin, stderr }: Terminal): Prompts {
  const ask = async <T>(
    question: Record<string, unknown>,
    { escape = false, clear = false }: Manner = {},
  ): Promise<T> => {
    const { default: inquirer } = await import('inquirer');
    const abort = new AbortController();
    const stop = () => abort.abort();
    // At the end of its input readline closes without a word, and the answer would never come.
    const onKey = (_: unknown, key: { ctrl?: boolean; name?: string }) => {
      if ((key.ctrl === true && key.name === 'd') || (escape && key.name === 'escape')) stop();
    };
    stdin.once('end', stop);
    stdin.on('keypress', onKey);
    try {
      const screen = { input: stdin, output: stderr, signal: abort.signal, clearPromptOnDone: clear };
      const prompt = inquirer.createPromptModule(screen);
      const { answer } = (await prompt([{ name: 'answer', ...question }] as never)) as unknown as { answer: T };
      return answer;
    } catch (error) {
      if (error instanceof Error && /^(?:ExitPrompt|AbortPrompt|CancelPrompt)Error$/.test(error.name))
        throw new Cancelled();
      throw error;
    } finally {
      stdin.off('end', stop);
      stdin.off('keypress', onKey);
      stdin.pause();
    }
  };
  const validate =
    ({ check }: Question) =>
    (answer: string) =>
      check?.(answer) ?? true;

  return {
    text: (question) =>
      ask(
        { type: 'input', message: question.message, default: question.fallback, validate: validate(question) },
        { escape: question.escape },
      ),
    secret: (question) =>
      ask(
        { type: 'password', message: question.message, validate: validate(question) },
        { escape: question.escape, clear: question.escape },
      ),
    choice: (question, choices) =>
      ask({ type: 'select', message: question.message, choices, default: question.fallback }),
    confirm: (message) => ask({ type: 'confirm', message, default: false }),
    menu: (message, items) =>
      ask(
        { type: 'select', message, choices: items, pageSize: searchLines, loop: false },
        { escape: true, clear: true },
      ),
    search: (message, source) =>
      ask(
        { type: 'search', message, source: (term?: string) => source(term ?? ''), pageSize: searchLines },
        { escape: true, clear: true },
      ),
  };
}

const shortestSecret = 8;
const tries = 3;

/** Asks for a new secret twice, and again where the two differ. */
export async function newSecret(asking: Prompts, { message, check }: Question): Promise<string> {
  const longEnough = (answer: string) =>
    answer.length < shortestSecret ? `Must be at least ${shortestSecret} characters` : check?.(answer);
  for (let left = tries; left > 0; left--) {
    const first = await asking.secret({
      message: left === tries ? message : `The two were not the same. ${message}`,
      check: longEnough,
    });
    if (first === (await asking.secret({ message: `${message}, again` }))) return first;
  }
  throw new Problem('invalid', 'SECRETS_DIFFER', 'The two were not the same again. Nothing was done.');
}
