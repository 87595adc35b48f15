import type { Interfaces } from '@oclif/core';
import { Problem } from '../../problem.ts';
import { nearest } from './nearest.ts';
import { calledByOthers } from './words-of-peers.ts';

/** What was called and isn't there, with the commands that may have been meant. */
export function unknownCommand(argv: readonly string[], config: Interfaces.Config): Problem {
  const flagAt = argv.findIndex((word) => word.startsWith('-'));
  const words = (flagAt === -1 ? argv : argv.slice(0, flagAt)).join(' ');
  if (words === '') return usage(`There is no option ${JSON.stringify(argv[0] ?? '')} without a command.`);
  const known = new Set(config.commands.map(({ id }) => id.replaceAll(':', ' ')));
  for (let count = argv.length - 1; count > 0; count -= 1) {
    const command = argv.slice(0, count).join(' ');
    // Of what is a command and has others below it, one of those was meant.
    if (!known.has(command) || [...known].some((other) => other.startsWith(`${command} `))) continue;
    return usage(`${command} takes no argument ${JSON.stringify(argv[count])}.`);
  }
  const visible = config.commands.filter(({ hidden }) => !hidden).map(({ id }) => id.replaceAll(':', ' '));
  const called = calledByOthers(words.split(' '), new Set(visible));
  if (called.length > 0)
    return usage(`There is no command ${JSON.stringify(words)}. Here it is: conclave ${called.join(', conclave ')}.`);
  const near = nearest(words, visible);
  const meant = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
  return usage(`There is no command ${JSON.stringify(words)}.${meant}`);
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
