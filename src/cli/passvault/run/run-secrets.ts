import { readFile } from 'node:fs/promises';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { isMaskable } from './masking.ts';
import { parseEnvFile, type Assignment } from './env-file.ts';
import { lookUp } from '../entries/entry-lookup.ts';
import { resolveReferences } from './resolve-references.ts';
import type { VaultSession } from '../session.ts';
import { fillTemplate, referencesOf, parseValueTemplate, type TemplatePart } from './template.ts';
import { withoutOurs } from '../../kit/start-program.ts';
import { isReference } from './reference.ts';

/** @throws Problem invalid ENV_FILE_INVALID, INPUT_UNREADABLE, USAGE */
export async function assignmentsFrom(files: readonly string[], typed: readonly string[]): Promise<Assignment[]> {
  const found: Assignment[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new Problem('invalid', 'INPUT_UNREADABLE', `--env-file: ${unreadable(file, cause)}`, { cause });
    });
    found.push(...parseEnvFile(text, file));
  }
  for (const text of typed) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(text);
    if (match === null) throw new Problem('invalid', 'USAGE', '--env must be NAME=conclave://vault/entry/field.');
    found.push({ name: match[1] ?? '', value: match[2] ?? '' });
  }
  return found;
}

export interface ResolvedVariables {
  readonly values: readonly (readonly [name: string, value: string])[];
  /** values that must not appear in the output; user names and addresses may */
  readonly secrets: readonly string[];
  /** names of variables whose secrets cannot be distinguished from ordinary output */
  readonly unmasked: readonly string[];
}

export async function resolvedVariables(
  session: VaultSession,
  assignments: readonly Assignment[],
): Promise<ResolvedVariables> {
  const variables = variablesFor(session.terminal.env, assignments);
  const references = variables.flatMap(({ parts }) => referencesOf(parts));
  const valueOf = await resolveReferences(references, lookUp(session), Date.now());
  const values = variables.map(({ name, parts }) => {
    const value = fillTemplate(parts, (reference) => valueOf(reference).value);
    if (value.includes('\0'))
      throw new Problem(
        'invalid',
        'VALUE_INVALID',
        `${name}: the value has a NUL character, which a variable cannot contain.`,
      );
    return [name, value] as const;
  });
  const secrets = new Set(
    references
      .map(valueOf)
      .filter(({ secret }) => secret)
      .map(({ value }) => value),
  );
  const unmasked = variables.filter(({ parts }) =>
    referencesOf(parts)
      .map(valueOf)
      .some(({ secret, value }) => secret && !isMaskable(value)),
  );
  return { values, secrets: [...secrets], unmasked: unmasked.map(({ name }) => name) };
}

export interface Variable {
  readonly name: string;
  readonly parts: readonly TemplatePart[];
}

/**
 * The variables of a program that need a vault: first references in the environment, then those of files and flags. Later variables replace
 * earlier ones.
 */
export function variablesFor(env: NodeJS.ProcessEnv, assignments: readonly Assignment[]): Variable[] {
  const found = new Map<string, readonly TemplatePart[]>();
  for (const [name, value] of Object.entries(withoutOurs(env))) {
    if (value !== undefined && isReference(value)) found.set(name, parseValueTemplate(value));
  }
  for (const { name, value } of assignments) found.set(name, parseValueTemplate(value));
  return Array.from(found, ([name, parts]) => ({ name, parts }));
}
