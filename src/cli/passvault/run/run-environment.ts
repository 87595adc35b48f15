import { withoutOurs } from '../../kit/start-program.ts';
import { parseValueTemplate, type TemplatePart } from './template.ts';
import type { Assignment } from './env-file.ts';
import { isReference } from './reference.ts';

export interface Variable {
  readonly name: string;
  readonly parts: readonly TemplatePart[];
}

/**
 * The variables of a program that need a vault: those of the environment that are references, then those of files and flags, the
 * later ones winning.
 */
export function variablesFor(env: NodeJS.ProcessEnv, assignments: readonly Assignment[]): Variable[] {
  const found = new Map<string, readonly TemplatePart[]>();
  for (const [name, value] of Object.entries(withoutOurs(env))) {
    if (value !== undefined && isReference(value)) found.set(name, parseValueTemplate(value));
  }
  for (const { name, value } of assignments) found.set(name, parseValueTemplate(value));
  return Array.from(found, ([name, parts]) => ({ name, parts }));
}
