import { safeParse, type InferInput } from 'valibot';
import type { Operation } from '../../contract/operation.ts';
import { fieldsOf, type Field } from './fields.ts';
import { missingInput, type MissingInput } from './missing-input.ts';
import { newSecret, prompts, type Prompts } from './prompts.ts';
import { fileVariableOf, secretReader, variableOf, type SecretReader } from './secrets.ts';
import { isInteractive, type Terminal } from './terminal.ts';
import { plainNumber } from '../../base/whole-number.ts';

/** The source of the fields: an operation, or a form that only the command has. */
export type Form = Pick<Operation, 'path' | 'input'>;

export interface InputOptions {
  /** values that the command knows already, by the dotted path of the field */
  readonly given?: Readonly<Record<string, unknown>>;
  /** new secrets; the command asks for them twice */
  readonly fresh?: readonly string[];
  /** variables, by the name of the field: of secrets instead of their usual ones, and of values that have none otherwise */
  readonly variables?: Readonly<Record<string, string>>;
  /** values that are taken when nothing else gives them, by the dotted path of the field */
  readonly otherwise?: Readonly<Record<string, unknown>>;
  /** other ways to give a value to the command, by the name of the field */
  readonly instead?: Readonly<Record<string, string>>;
  /** the field that the command takes as an argument */
  readonly argument?: string;
  /** how to give a field, for commands that do not take it by a flag */
  readonly way?: (field: Field) => string;
  /** fields that are ignored */
  readonly skip?: readonly string[];
  /** optional secrets that the command also asks for */
  readonly ask?: readonly string[];
  readonly secrets?: SecretReader;
}

/**
 * A form's values from flags, files and variables. The command asks for missing required values on a terminal. Without a terminal, it
 * throws a Problem that names every way to give them.
 */
export async function inputFor<F extends Form>(
  terminal: Terminal,
  form: F,
  flags: Readonly<Record<string, unknown>>,
  options: InputOptions = {},
): Promise<InferInput<F['input']>> {
  const secrets = options.secrets ?? secretReader(terminal);
  const asking = isInteractive(terminal) ? prompts(terminal) : undefined;
  const input: Record<string, unknown> = {};
  const missing: MissingInput[] = [];
  for (const field of fieldsOf(form)) {
    if (options.skip?.includes(field.name) === true) continue;
    let value =
      options.given?.[field.key] ??
      (field.secret ? await readSecret(secrets, field, flags, options) : plainValue(terminal, field, flags, options)) ??
      options.otherwise?.[field.key];
    if (value === undefined && isWanted(field, options)) {
      if (asking === undefined) missing.push({ path: field.key, by: waysOf(field, options) });
      else value = await question(asking, field, options);
    }
    if (value !== undefined || !field.groupOptional) put(input, field.path, value);
  }
  if (missing.length > 0) throw missingInput(...missing);
  return input;
}

/** Whether a flag gives any of a form's values, directly or by a file. */
export function isGiven(form: Form, flags: Readonly<Record<string, unknown>>): boolean {
  return fieldsOf(form).some(({ name }) => flags[name] !== undefined || flags[`${name}-file`] !== undefined);
}

function isWanted(field: Field, { ask = [] }: InputOptions): boolean {
  return field.required ? field.path.length === 1 : ask.includes(field.name);
}

function readSecret(
  secrets: SecretReader,
  field: Field,
  flags: Readonly<Record<string, unknown>>,
  options: InputOptions,
) {
  return secrets.read(field.name, flags[`${field.name}-file`] as string | undefined, variableFor(field, options));
}

function plainValue({ env }: Terminal, field: Field, flags: Readonly<Record<string, unknown>>, options: InputOptions) {
  const text = env[options.variables?.[field.name] ?? ''];
  return flags[field.name] ?? (text ? parseValue(field, text) : undefined);
}

function variableFor(field: Field, { variables = {} }: InputOptions): string {
  return variables[field.name] ?? variableOf(field.name);
}

function waysOf(field: Field, options: InputOptions): string {
  if (options.way !== undefined) return options.way(field);
  if (field.name === options.argument) return 'an argument';
  const plain = options.variables?.[field.name];
  if (!field.secret) return [`--${field.name}`, ...(plain === undefined ? [] : [plain])].join(', ');
  const variable = variableFor(field, options);
  const instead = options.instead?.[field.name];
  return [`--${field.name}-file`, variable, fileVariableOf(variable), ...(instead === undefined ? [] : [instead])].join(
    ', ',
  );
}

async function question(asking: Prompts, field: Field, { fresh = [] }: InputOptions): Promise<unknown> {
  const message = capital(field.label);
  const check = (answer: string) => wrongWith(field, answer);
  if (field.kind === 'boolean') return await asking.confirm(message);
  if (field.kind === 'choice') return await asking.choice({ message }, field.choices);
  if (field.secret)
    return fresh.includes(field.name)
      ? await newSecret(asking, { message, check })
      : await asking.secret({ message, check });
  return parseValue(field, await asking.text({ message, check }));
}

/** Why an answer is invalid. valibot's own messages repeat the value, so they are replaced. */
function wrongWith(field: Field, answer: string): string | undefined {
  const result = safeParse(field.schema, parseValue(field, answer), { abortPipeEarly: true });
  if (result.success) return undefined;
  const [{ message }] = result.issues;
  return capital(message.startsWith('Invalid ') ? 'is not valid' : message);
}

/** Converts text to the type of the field. Text that does not fit stays text, and the contract refuses it with the name of the field. */
export function parseValue({ kind }: Field, text: string): unknown {
  switch (kind) {
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'integer':
    case 'number':
      return plainNumber(text) ?? text;
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => item.trim());
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    default:
      return text;
  }
}

/** Puts a value at its place in the input. An empty group is added as well, because the contract requires it. */
function put(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, part] = path as [string, string | undefined];
  if (part === undefined) {
    if (value !== undefined) input[name] = value;
    return;
  }
  const group = (input[name] ??= {}) as Record<string, unknown>;
  if (value !== undefined) group[part] = value;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
