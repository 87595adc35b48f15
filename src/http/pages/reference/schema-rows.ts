import type { Json } from '../../openapi/types.ts';

export interface SchemaRow {
  /** path with dots; `[]` stands for the items of a list */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

export type Resolve = (schema: Json) => Json;

/**
 * The properties of an object's schema, including the properties of nested objects.
 *
 * @param resolve replaces a schema that is a reference, or one of several options
 */
export function schemaRows(referring: Json, resolve: Resolve, prefix = ''): SchemaRow[] {
  const schema = resolve(referring);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const rows: SchemaRow[] = [];
  for (const [key, property] of Object.entries(properties)) {
    const name = prefix + key;
    const said = resolve(property);
    rows.push({ name, type: typeName(said, resolve), required: required.includes(key), text: rules(said) });
    rows.push(...schemaRows(property, resolve, `${name}.`), ...schemaRows(itemsOf(said), resolve, `${name}[].`));
  }
  return rows;
}

/** Follows references. A schema with several options gets the properties of all; only properties that all options require are required. */
export function resolveIn(schemas: Readonly<Record<string, Json>>): Resolve {
  return function resolve(schema: Json): Json {
    const { $ref, ...beside } = schema;
    if (typeof $ref === 'string') return { ...resolve(schemas[$ref.split('/').at(-1) ?? ''] ?? {}), ...beside };
    if (!Array.isArray(schema['oneOf'])) return schema;
    const options = (schema['oneOf'] as readonly Json[]).map(resolve);
    const properties: Record<string, Json> = {};
    for (const option of options) {
      for (const [name, one] of Object.entries(option['properties'] as Readonly<Record<string, Json>>))
        properties[name] = either(properties[name], one);
    }
    const [first = [], ...others] = options.map((option) => (option['required'] ?? []) as readonly string[]);
    const required = first.filter((name) => others.every((names) => names.includes(name)));
    return { type: 'object', properties, required };
  };
}

/** The property that tells the options apart has a different value in each option. All other properties are the same. */
function either(before: Json | undefined, one: Json): Json {
  if (before === undefined || one['const'] === undefined) return one;
  const values = (before['enum'] ?? [before['const']]) as readonly unknown[];
  return { type: 'string', enum: [...values, one['const']] };
}

function itemsOf(schema: Json): Json {
  return (schema['items'] ?? {}) as Json;
}

export function typeName(referring: Json, resolve: Resolve): string {
  const schema = resolve(referring);
  const options = schema['anyOf'] as readonly Json[] | undefined;
  if (options !== undefined) return options.map((option) => typeName(option, resolve)).join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any';
  return type === 'array' ? `array of ${typeName(itemsOf(schema), resolve)}` : type;
}

/** The other rules of the schema, in words. */
export function rules(schema: Json): string {
  const { description, enum: options, format, pattern, default: fallback } = schema;
  return [
    typeof description === 'string' ? description : undefined,
    Array.isArray(options) ? `one of ${options.map((option) => `\`${String(option)}\``).join(', ')}` : undefined,
    bounds(schema, 'Length', ' characters'),
    bounds(schema, 'imum', ''),
    bounds(schema, 'Items', ' items'),
    format === 'password' ? 'secret' : undefined,
    format === 'date-time' ? 'time in ISO 8601' : undefined,
    // A long pattern does not help a reader; programs find it in the document.
    typeof pattern === 'string' && pattern.length <= 40 ? `matches \`${pattern}\`` : undefined,
    fallback === undefined ? undefined : `by default \`${JSON.stringify(fallback)}\``,
  ]
    .filter((part) => part !== undefined)
    .join('; ');
}

function bounds(schema: Json, of: 'Length' | 'imum' | 'Items', unit: string): string | undefined {
  const [least, most] = [schema[`min${of}`], schema[`max${of}`]] as (number | undefined)[];
  if (least === undefined && most === undefined) return undefined;
  if (least === undefined) return `at most ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
}
