import { Problem } from '../../base/problem.ts';
import { prompts } from '../kit/prompts.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/**
 * Shows a person what was understood, who can go back before it is written. Programs are not asked: they see it in the answer.
 * @throws Problem invalid NOT_CONFIRMED when the answer is no
 */
export async function agreed(terminal: Terminal, yes: boolean, question: string): Promise<void> {
  if (yes || !isInteractive(terminal)) return;
  if (!(await prompts(terminal).confirm(question, true)))
    throw new Problem('invalid', 'NOT_CONFIRMED', 'Nothing was changed.');
}
