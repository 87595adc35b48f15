import { Problem } from '../../problem.ts';
import { Cancelled, prompts } from '../kit/prompts.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/**
 * Asks before something is lost; `yes` has answered already.
 *
 * @throws Problem invalid INPUT_MISSING where nobody can be asked; Cancelled for a no
 */
export async function confirmLoss(terminal: Terminal, message: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!isInteractive(terminal))
    throw new Problem('invalid', 'INPUT_MISSING', 'There is no terminal to ask at: say --yes.');
  if (!(await prompts(terminal).confirm(message))) throw new Cancelled();
}
