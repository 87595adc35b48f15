import { Flags, type Interfaces } from '@oclif/core';
import { fieldsOf, type Field } from './fields.ts';
import type { Form } from './input.ts';
import { fileVariableOf, variableOf } from './secrets.ts';

export interface FlagOptions {
  /** names of fields that the command takes as an argument or in another way */
  readonly omit?: readonly string[];
  /** variables, by the name of the field: of secrets whose default name does not apply, and of texts that have none otherwise */
  readonly variables?: Readonly<Record<string, string>>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the values' types are the contract's, checked when the operation is performed
type AnyFlags = Record<string, Interfaces.OptionFlag<any> | Interfaces.BooleanFlag<any>>;

/**
 * A flag for each value of an operation or a form. No flag is required here: the command asks for missing values, or names all of them in
 * one problem. A secret has no flag for its value, only one for the name of a file.
 */
export function flagsOf(form: Form, { omit = [], variables = {} }: FlagOptions = {}): AnyFlags {
  const fields = fieldsOf(form).filter(({ last }) => !omit.includes(last));
  return Object.fromEntries(
    fields.map((field) => (field.secret ? secretFlag(field, variables) : [field.name, flagOf(field, variables)])),
  );
}

function flagOf(field: Field, variables: Readonly<Record<string, string>>): AnyFlags[string] {
  const variable = variables[field.name];
  const description = variable === undefined ? field.description : `${field.description}; also ${variable}`;
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
