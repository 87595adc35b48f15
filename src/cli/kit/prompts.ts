import { Problem } from '../../base/problem.ts';
import type { Terminal } from './terminal.ts';

export interface Question {
  readonly message: string;
  /** @returns the problem with an answer, or undefined */
  readonly check?: (answer: string) => string | undefined;
  readonly fallback?: string;
}

/** Questions to the person at the terminal. Questions and typed text go to stderr; secrets are hidden. */
export interface Prompts {
  text(question: Question): Promise<string>;
  secret(question: Question): Promise<string>;
  choice(question: Question, choices: readonly string[]): Promise<string>;
  /** @param fallback the meaning of Enter alone; no by default, because a yes may be irreversible */
  confirm(message: string, fallback?: boolean): Promise<boolean>;
  /** chooses one of a few items */
  menu<T>(message: string, items: readonly Item<T>[]): Promise<T>;
  /** chooses one of many items; typing narrows the list. @param typed the initial search text */
  search<T>(message: string, source: (term: string) => readonly Item<T>[], typed?: string): Promise<T>;
}

export interface Manner {
  /** Escape goes back (`WentBack`). Only text questions stay on the screen after they are answered. */
  readonly back?: boolean;
}

export interface Item<T> {
  readonly name: string;
  readonly value: T;
  /** the text that stays on the line after the item is chosen */
  readonly short?: string;
  /** shown below the list while the item is selected */
  readonly description?: string;
}

/** Lines of the list in a search. With the question and the text below, it fits on a terminal of 24 lines. */
const searchLines = 14;

/** Ctrl-C or Ctrl-D at a question. The command ends without a message. */
export class Cancelled extends Error {}

/** Escape at a question. It also ends the command if there is no earlier question. */
export class WentBack extends Cancelled {}

/** The help text below a list. */
const keysOfLists = [
  ['↑↓', 'move'],
  ['enter', 'take'],
] as const;
const keysBack = [
  ['esc', 'back'],
  ['ctrl-c', 'leave'],
] as const;

export function prompts({ stdin, stderr }: Terminal, { back = false }: Manner = {}): Prompts {
  const theme = {
    style: {
      keysHelpTip: () => [...keysOfLists, ...(back ? keysBack : [])].map(([key, does]) => `${key} ${does}`).join(' · '),
    },
  };
  const ask = async <T>(question: Record<string, unknown>, clear = false): Promise<T> => {
    const { default: inquirer } = await import('inquirer');
    const abort = new AbortController();
    let escaped = false;
    const stop = () => abort.abort();
    // readline closes at the end of its input without an event for the question, so the answer would never come.
    const onKey = (_: unknown, key: { ctrl?: boolean; name?: string }) => {
      escaped = back && key.name === 'escape';
      if (escaped || (key.ctrl === true && key.name === 'd')) stop();
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
        throw escaped ? new WentBack() : new Cancelled();
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
      ask({ type: 'input', message: question.message, default: question.fallback, validate: validate(question) }),
    async secret({ message, check }) {
      // A person cannot correct hidden text. After a refusal the input is cleared, and the secret is typed again.
      for (let asked = message; ;) {
        const answer = await ask<string>({ type: 'password', message: asked }, back);
        const wrong = check?.(answer);
        if (wrong === undefined) return answer;
        asked = `${wrong}. ${message}`;
      }
    },
    choice: (question, choices) =>
      ask({ type: 'select', message: question.message, choices, default: question.fallback, theme }),
    confirm: (message, fallback = false) => ask({ type: 'confirm', message, default: fallback }),
    menu: (message, items) =>
      ask({ type: 'select', message, choices: items, pageSize: searchLines, loop: false, theme }, true),
    search: (message, source, typed) =>
      ask(
        {
          type: 'search',
          message,
          source: (term?: string) => source(term ?? ''),
          pageSize: searchLines,
          theme,
          ...(typed && { initialValue: typed }),
        },
        true,
      ),
  };
}

/**
 * Asks several questions in turn. Escape goes back to the previous question and shows its last answer. At the first question it throws
 * `WentBack`.
 *
 * @param steps receive their last answer if they were asked before
 */
export async function inTurn(steps: readonly ((before: string | undefined) => Promise<string>)[]): Promise<string[]> {
  const answers: string[] = [];
  for (let at = 0; at < steps.length;) {
    try {
      answers[at] = await (steps[at] as (before: string | undefined) => Promise<string>)(answers[at]);
      at += 1;
    } catch (error) {
      if (!(error instanceof WentBack) || at === 0) throw error;
      at -= 1;
    }
  }
  return answers;
}

const shortestSecret = 8;
const tries = 3;

/** Asks for a new secret twice, and asks again if the two differ. */
export async function newSecret(asking: Prompts, { message, check }: Question): Promise<string> {
  const longEnough = (answer: string) =>
    answer.length < shortestSecret ? `Must be at least ${shortestSecret} characters` : check?.(answer);
  for (let left = tries; left > 0; left--) {
    const first = await asking.secret({
      message: left === tries ? message : `The two do not match. ${message}`,
      check: longEnough,
    });
    if (first === (await asking.secret({ message: `${message}, again` }))) return first;
  }
  throw new Problem('invalid', 'SECRETS_DIFFER', 'The two do not match again. Nothing was changed.');
}
