import type { Interfaces } from '@oclif/core';
import { allOperations } from '../../../contract/all.ts';
import { Problem } from '../../../base/problem.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completionModel } from './model.ts';
import { zshCompletion } from './zsh.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export function completionScript(shell: string, config: Interfaces.Config): string {
  const model = completionModel(
    config,
    allOperations().map(({ id }) => id),
  );
  switch (shell) {
    case 'bash':
      return bashCompletion(model);
    case 'zsh':
      return zshCompletion(model);
    case 'fish':
      return fishCompletion(model);
    default:
      throw new Problem(
        'invalid',
        'USAGE',
        `There is no completion for ${JSON.stringify(shell)}. Choose one of: ${shells.join(', ')}.`,
      );
  }
}
