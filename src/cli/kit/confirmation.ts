import { Problem } from '../../base/problem.ts';
import { missingInput } from './missing-input.ts';
import { prompts } from './prompts.ts';
import { isInteractive, type Terminal } from './terminal.ts';

/**
 * Asks for confirmation of something that cannot be undone, unless `yes` is set.
 *
 * @throws Problem invalid INPUT_MISSING without a terminal, NOT_CONFIRMED when the answer is no
 */
export async function confirmed(terminal: Terminal, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!isInteractive(terminal)) throw missingInput({ path: 'yes', by: '--yes' });
  if (!(await prompts(terminal).confirm(question)))
    throw new Problem('invalid', 'NOT_CONFIRMED', 'Nothing was changed.');
}
