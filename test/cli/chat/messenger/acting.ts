import type { Reader } from '../../run-command.ts';

/** Answers each text when it is on the terminal, after the one before; something to do instead of an answer is done, and may be one. */
export function acting(...steps: readonly (readonly [text: string, answer: string | (() => unknown)])[]): Reader {
  const left = [...steps];
  let from = 0;
  return (shown) => {
    const [step] = left;
    if (step === undefined || shown.indexOf(step[0], from) === -1) return undefined;
    left.shift();
    from = shown.length;
    if (typeof step[1] === 'string') return step[1];
    const answer = step[1]();
    return typeof answer === 'string' ? answer : undefined;
  };
}
