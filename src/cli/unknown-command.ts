import type { Interfaces } from '@oclif/core';
import { Problem } from '../problem.ts';

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
  const near = config.commands
    .filter((command) => !command.hidden)
    .map(({ id }) => id.replaceAll(':', ' '))
    .map((id) => ({ id, distance: distance(words.slice(0, id.length + 3), id) }))
    .filter(({ id, distance: far }) => far <= Math.max(2, id.length / 4))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3);
  const meant = near.length === 0 ? '' : ` Did you mean: ${near.map(({ id }) => id).join(', ')}?`;
  return usage(`There is no command ${JSON.stringify(words)}.${meant}`);
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    let left = i + 1;
    let diagonal = i;
    previous = previous.map((above, j) => {
      if (j === 0) return left;
      left = Math.min(diagonal + (letter === b[j - 1] ? 0 : 1), above + 1, left + 1);
      diagonal = above;
      return left;
    });
  }
  return previous.at(-1) ?? 0;
}
