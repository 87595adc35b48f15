import { getDescription, getMetadata, type GenericSchema } from 'valibot';
import { headerOf } from '../../contract/header-fields.ts';
import { pathParameters, type Operation } from '../../contract/operation.ts';

export type FieldKind = 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'list' | 'json';

/** One value of an operation's input, as a flag, a question or `name=value` provides it. */
export interface Field {
  /** its place in the input: one name, or two for a group of the contract */
  readonly path: readonly string[];
  /** the path with dots */
  readonly key: string;
  /** the last part of the path, and the same in kebab-case */
  readonly last: string;
  readonly name: string;
  readonly kind: FieldKind;
  readonly choices: readonly string[];
  readonly required: boolean;
  /** whether its group may be left out */
  readonly groupOptional: boolean;
  readonly secret: boolean;
  readonly inPath: boolean;
  /** its name for people */
  readonly label: string;
  readonly description: string;
  readonly schema: GenericSchema;
}

/** Labels for fields whose name is not a good label. */
const labels: Readonly<Record<string, string>> = {
  email: 'e-mail address',
  mnemonic: 'recovery phrase',
  key: 'recovery phrase or private key',
};

/** The parts of a valibot schema that are plain data. */
interface SchemaData {
  readonly type: string;
  readonly wrapped?: GenericSchema;
  readonly entries?: Readonly<Record<string, GenericSchema>>;
  readonly options?: readonly unknown[];
  readonly default?: unknown;
}

/** All values that an operation or a form takes, in the order of its schema. */
export function fieldsOf(form: Pick<Operation, 'path' | 'input'>): Field[] {
  const inPath = new Set(pathParameters(form.path));
  return Object.entries(form.input.entries as Record<string, GenericSchema>).flatMap(([name, schema]) => {
    const inner = unwrap(schema);
    // Only programs send this header, so it has no flag.
    if (headerOf(inner.schema) !== undefined) return [];
    const { entries } = inner.schema as unknown as SchemaData;
    if (entries === undefined) return [fieldOf([name], schema, inPath.has(name))];
    return Object.entries(entries).map(([part, one]) => fieldOf([name, part], one, false, !inner.required));
  });
}

function fieldOf(path: readonly string[], schema: GenericSchema, inPath: boolean, groupOptional = false): Field {
  const { schema: inner, required } = unwrap(schema);
  const last = path.at(-1) ?? '';
  const name = kebab(last);
  const label = labels[name] ?? name.replaceAll('-', ' ');
  return {
    path,
    key: path.join('.'),
    last,
    name,
    ...kindOf(inner),
    required,
    groupOptional,
    secret: (getMetadata(inner) as { secret?: boolean }).secret === true,
    inPath,
    label,
    description: getDescription(schema) ?? getDescription(inner) ?? label,
    schema: inner,
  };
}

function unwrap(schema: GenericSchema): { schema: GenericSchema; required: boolean } {
  const { wrapped } = schema as unknown as SchemaData;
  return wrapped === undefined ? { schema, required: true } : { schema: unwrap(wrapped).schema, required: false };
}

function kindOf(schema: GenericSchema): { kind: FieldKind; choices: readonly string[] } {
  const { type, options = [] } = schema as unknown as SchemaData;
  const none: readonly string[] = [];
  switch (type) {
    case 'string':
      return { kind: 'text', choices: none };
    case 'boolean':
      return { kind: 'boolean', choices: none };
    case 'number':
      return { kind: isWhole(schema) ? 'integer' : 'number', choices: none };
    case 'picklist':
      return { kind: 'choice', choices: options.map(String) };
    case 'array':
      return { kind: 'list', choices: none };
    case 'union':
      // Numbers of the contract also come as text, in a query.
      return { kind: options.some((one) => (one as SchemaData).type === 'number') ? 'integer' : 'json', choices: none };
    default:
      return { kind: 'json', choices: none };
  }
}

function isWhole(schema: GenericSchema): boolean {
  const { pipe = [] } = schema as unknown as { pipe?: readonly { type: string }[] };
  return pipe.some((step) => step.type === 'integer');
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
