import type { Json } from '../openapi/types.ts';

export interface SchemaRow {
  /** dotted, `[]` for the items of a list */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

/** The properties of an object's schema, with those of the objects inside. */
export function schemaRows(schema: Json, prefix = ''): SchemaRow[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const rows: SchemaRow[] = [];
  for (const [key, property] of Object.entries(properties)) {
    const name = prefix + key;
    rows.push({ name, type: typeName(property), required: required.includes(key), text: rules(property) });
    rows.push(...schemaRows(property, `${name}.`), ...schemaRows(itemsOf(property), `${name}[].`));
  }
  return rows;
}

function itemsOf(schema: Json): Json {
  return (schema['items'] ?? {}) as Json;
}

export function typeName(schema: Json): string {
  const options = schema['anyOf'] as readonly Json[] | undefined;
  if (options !== undefined) return options.map((option) => typeName(option)).join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any';
  return type === 'array' ? `array of ${typeName(itemsOf(schema))}` : type;
}

/** What else the schema says, in words. */
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
    // A long pattern helps nobody who reads; programs find it in the document.
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
