import { entryVariants, namedSchemas } from './named-schemas.ts';
import { referenceTo, replyJsonSchema } from './json-schema.ts';
import type { Json } from './types.ts';

/** The named schemas of one document: those of the contract, and those of the document itself. */
export interface Schemas {
  add(made: Readonly<Record<string, Json>>): void;
  readonly resolve: (reference: string) => Json;
  /** the schemas to which the value refers, directly or through other schemas, by name */
  usedBy(value: unknown): Record<string, Json>;
}

export function openSchemas(): Schemas {
  const known = new Map<string, Json>();
  const add = (made: Readonly<Record<string, Json>>): void => {
    for (const [name, schema] of Object.entries(made)) known.set(name, schema);
  };
  const named = (name: string): Json => {
    const converted = namedSchemas[name];
    if (!known.has(name) && converted !== undefined) {
      const schema = replyJsonSchema(converted);
      add(name === 'Entry' ? entriesOf(name, schema) : { [name]: schema });
    }
    const schema = known.get(name);
    if (schema === undefined) throw new Error(`There is no schema ${name}`);
    return schema;
  };
  return {
    add,
    resolve: (reference) => named(reference.slice(referenceTo('').length)),
    usedBy(value) {
      const used = new Map<string, Json>();
      const follow = (part: unknown): void => {
        for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
          if (used.has(name)) continue;
          used.set(name, named(name));
          follow(named(name));
        }
      };
      follow(value);
      return Object.fromEntries([...used].sort(([one], [other]) => (one < other ? -1 : 1)));
    },
  };
}

/** For an object in which one field decides which other fields exist: one schema for each value, and one schema that is any of them. */
export function entriesOf(name: string, schema: Json): Record<string, Json> {
  const { property, fields } = entryVariants;
  const types = Object.entries(fields);
  const all = Object.entries(schema['properties'] as Readonly<Record<string, Json>>);
  const made: Record<string, Json> = {};
  for (const [type, { own }] of types) {
    const foreign = new Set<string>(
      types.flatMap(([other, one]): readonly string[] => (other === type ? [] : one.own)),
    );
    for (const field of own) foreign.delete(field);
    made[variantName(name, type)] = {
      ...schema,
      properties: Object.fromEntries(
        all
          .filter(([field]) => !foreign.has(field))
          .map(([field, one]) => [field, field === property ? { type: 'string', const: type } : one]),
      ),
    };
  }
  const references = types.map(([type]) => [type, referenceTo(variantName(name, type))] as const);
  made[name] = {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: property, mapping: Object.fromEntries(references) },
  };
  return made;
}

function variantName(name: string, type: string): string {
  return name.replace('Entry', entryVariants.fields[type as keyof typeof entryVariants.fields].name);
}
