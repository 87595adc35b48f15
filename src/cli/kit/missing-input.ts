import { Problem } from '../../base/problem.ts';

/** A value that was not given, and that the command cannot ask for without a terminal. */
export interface MissingInput {
  readonly path: string;
  /** the options, files and variables that give it */
  readonly by: string;
}

export function missingInput(...missing: readonly MissingInput[]): Problem {
  return new Problem('invalid', 'INPUT_MISSING', 'Values are missing, and there is no terminal to ask for them.', {
    fields: missing.map(({ path, by }) => ({ path, message: `is missing. Give it with ${by}` })),
  });
}
