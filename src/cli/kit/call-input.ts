import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { allOperations } from '../../contract/all.ts';
import type { Operation } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { unreadable } from './file-reasons.ts';
import { fieldsOf, type Field } from './fields.ts';
import { parseValue } from './input.ts';
import type { Terminal } from './terminal.ts';

/** @throws Problem missing OPERATION_UNKNOWN that names similar ones */
export function operationNamed(id: string): Operation {
  const all = allOperations();
  const found = all.find((operation) => operation.id === id);
  if (found !== undefined) return found;
  const part = id.slice(id.lastIndexOf('.') + 1).toLowerCase();
  const near = all.filter((operation) => part !== '' && operation.id.includes(part)).slice(0, 5);
  const list =
    near.length === 0 ? 'List all with: conclave call --list' : `Similar: ${near.map((one) => one.id).join(', ')}.`;
  throw new Problem('missing', 'OPERATION_UNKNOWN', `There is no operation ${JSON.stringify(id)}. ${list}`);
}

export interface CallFlags {
  readonly input?: string | undefined;
  readonly 'input-file'?: string | undefined;
}

/**
 * Collects the values for an operation's fields, by their dotted paths. The sources, in this order: a JSON file or standard input, JSON on
 * the command line, `name=value`.
 *
 * @throws Problem invalid for secrets on the command line, for names that the operation does not have, for text that is not JSON
 */
export async function givenFor(
  terminal: Terminal,
  operation: Operation,
  flags: CallFlags,
  assignments: readonly string[],
): Promise<Record<string, unknown>> {
  const fields = fieldsOf(operation);
  const given: Record<string, unknown> = {};
  const file = flags['input-file'];
  if (file !== undefined)
    Object.assign(given, byField(fields, parseObject(await readInput(terminal, file, '--input-file'), '--input-file')));
  if (flags.input !== undefined) {
    const typed = byField(fields, parseObject(flags.input, '--input'));
    for (const field of fields) if (field.secret && typed[field.key] !== undefined) throw secretTyped(field);
    Object.assign(given, typed);
  }
  for (const assignment of assignments) {
    const [name, value] = split(assignment);
    const field = fields.find((one) => one.key === name || one.last === name || one.name === name);
    if (field === undefined) throw unknownField(operation, name, fields);
    if (field.secret) throw secretTyped(field);
    given[field.key] = parseValue(field, value);
  }
  return given;
}

function split(assignment: string): [string, string] {
  const at = assignment.indexOf('=');
  if (at < 1) throw new Problem('invalid', 'USAGE', `Give values as name=value. ${JSON.stringify(assignment)} is not.`);
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}

/**
 * The text of a file, or of standard input for `-`.
 *
 * @param flag for messages
 * @throws Problem invalid INPUT_UNREADABLE
 */
export async function readInput({ stdin }: Terminal, file: string, flag: string): Promise<string> {
  try {
    return file === '-' ? await textOf(stdin) : await readFile(file, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', `${flag}: ${unreadable(file, cause)}`, { cause });
  }
}

function parseObject(json: string, flag: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Problem('invalid', 'INPUT_INVALID', `${flag}: is not JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid', 'INPUT_INVALID', `${flag}: must be a JSON object.`);
  }
  return value as Record<string, unknown>;
}

function byField(fields: readonly Field[], input: Record<string, unknown>): Record<string, unknown> {
  const found = fields.map(({ path, key }) => {
    const [name, part] = path as [string, string | undefined];
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    return [key, part === undefined ? value : (value as Record<string, unknown> | undefined)?.[part]] as const;
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function secretTyped(field: Field): Problem {
  const message = `Secrets are not accepted as arguments. Give ${field.key} with --input-file, a variable, or at the prompt on a terminal.`;
  return new Problem('invalid', 'SECRET_AS_ARGUMENT', message);
}

function unknownField(operation: Operation, name: string, fields: readonly Field[]): Problem {
  const takes = fields.length === 0 ? 'It accepts none.' : `It accepts ${fields.map(({ key }) => key).join(', ')}.`;
  return new Problem('invalid', 'USAGE', `${operation.id} has no value ${JSON.stringify(name)}. ${takes}`);
}
