import {
  toJsonSchema,
  type ConversionConfig,
  type OverrideActionContext,
  type OverrideSchemaContext,
} from '@valibot/to-json-schema';
import type { GenericSchema, RegexAction } from 'valibot';
import { namedSchemas } from './named-schemas.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The schema of the input that a caller sends. */
export function inputJsonSchema(schema: GenericSchema): Json {
  return convert(schema, 'input');
}

/** The schema of the reply that a caller gets. */
export function replyJsonSchema(schema: GenericSchema): Json {
  return convert(schema, 'output');
}

/** @throws Error for a schema that JSON Schema cannot express; otherwise the document would misrepresent the contract unnoticed */
function convert(schema: GenericSchema, typeMode: 'input' | 'output'): Json {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    ...conversion,
    overrideSchema: (context) =>
      context.valibotSchema === schema ? conversion.overrideSchema(context) : referred(context),
    typeMode,
  });
  return converted;
}

/** Replaces a named schema by a reference to its name. */
function referred(context: OverrideSchemaContext): JsonSchema | undefined {
  const name = names.get(context.valibotSchema);
  return name === undefined ? conversion.overrideSchema(context) : { $ref: referenceTo(name) };
}

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

const names: ReadonlyMap<unknown, string> = new Map(
  Object.entries(namedSchemas).map(([name, schema]) => [schema, name]),
);

const conversion = {
  target: 'draft-2020-12',
  errorMode: 'throw',
  // No keyword expresses these rules. The descriptions of the fields explain them as far as callers need them.
  ignoreActions: ['check', 'raw_check', 'to_lower_case', 'to_upper_case', 'trim', 'normalize', 'readonly', 'brand'],
  overrideAction: ({ valibotAction, jsonSchema }) => {
    switch (valibotAction.type) {
      case 'metadata':
        return withMarks(jsonSchema, (valibotAction as unknown as { metadata: Json }).metadata);
      case 'regex':
        return withPattern(jsonSchema, (valibotAction as RegexAction<string, undefined>).requirement);
      default:
        return undefined;
    }
  },
  overrideSchema: ({ valibotSchema, jsonSchema }: OverrideSchemaContext) => {
    // Any JSON
    if (valibotSchema.type === 'instance') return {};
    // Numbers may also come as text, because a query has only text. A reader of the document needs only the number.
    const options = valibotSchema.type === 'union' ? jsonSchema.anyOf : undefined;
    const [number, text] = (options ?? []) as Json[];
    return options?.length === 2 && number?.['type'] === 'number' && text?.['type'] === 'string'
      ? { type: 'number' }
      : undefined;
  },
} satisfies ConversionConfig;

type JsonSchema = OverrideActionContext['jsonSchema'];

function withMarks(jsonSchema: JsonSchema, marks: Json): JsonSchema {
  const { secret, actor, header: _, rawJson: _raw, ...others } = marks;
  const { secret: __, actor: ___, header: ____, rawJson: _marked, ...rest } = jsonSchema as Json;
  return {
    ...rest,
    ...others,
    ...(secret === true && { format: 'password' }),
    ...(actor === true && { description: 'May be left out. Must be the member of the token.', 'x-actor': true }),
  };
}

/** Adds a pattern. JSON Schema reads patterns with the flag `u`. @throws Error for a pattern with any other flag */
function withPattern(jsonSchema: JsonSchema, pattern: RegExp): JsonSchema {
  if (!/^u?$/.test(pattern.flags)) throw new Error(`JSON Schema can't say the flags of ${pattern}`);
  const { pattern: before, ...rest } = jsonSchema;
  if (before === undefined || before === pattern.source) return { ...rest, pattern: pattern.source };
  return { ...rest, allOf: [...(rest.allOf ?? []), { pattern: before }, { pattern: pattern.source }] };
}
