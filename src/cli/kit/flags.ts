import { Flags, type Interfaces } from '@oclif/core';
import { fieldsOf, type Field } from './fields.ts';
import type { Form } from './input.ts';
import { fileVariableOf, variableOf } from './secrets.ts';

export interface FlagOptions {
  /** fields by their names, for which the command has an argument or another way */
  readonly omit?: readonly string[];
  /** variables of secrets, where they aren't named after the field */
  readonly variables?: Readonly<Record<string, string>>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the values' types are the contract's, checked when the operation is performed
type AnyFlags = Record<string, Interfaces.OptionFlag<any> | Interfaces.BooleanFlag<any>>;

/**
 * A flag for each value that an operation or a form takes. None is required here: what is missing is asked for, or named all at once.
 * A secret has no flag of its own, only one that names a file.
 */
export function flagsOf(form: Form, { omit = [], variables = {} }: FlagOptions = {}): AnyFlags {
  const fields = fieldsOf(form).filter(({ last }) => !omit.includes(last));
  return Object.fromEntries(
    fields.map((field) => (field.secret ? secretFlag(field, variables) : [field.name, flagOf(field)])),
  );
}

function flagOf(field: Field): AnyFlags[string] {
  const { description } = field;
  switch (field.kind) {
    case 'boolean':
      return Flags.boolean({ description, allowNo: true });
    case 'integer':
      return Flags.integer({ description, helpValue: 'N' });
    case 'choice':
      return Flags.string({ description, options: [...field.choices] });
    case 'list':
      return Flags.string({
        description: `${description}; repeat for more`,
        helpValue: 'TEXT',
        multiple: true,
        multipleNonGreedy: true,
      });
    default:
      return Flags.string({ description, helpValue: 'TEXT' });
  }
}

function secretFlag(field: Field, variables: Readonly<Record<string, string>>): [string, AnyFlags[string]] {
  const variable = variables[field.name] ?? variableOf(field.name);
  const description = `file with the ${field.description.replace(/^with /, '')} (- for standard input); also ${variable}, ${fileVariableOf(variable)}`;
  return [`${field.name}-file`, Flags.string({ description, helpValue: 'FILE' })];
}
