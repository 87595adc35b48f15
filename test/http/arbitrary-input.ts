import fc from 'fast-check';
import type { Operation } from '../../src/contract/operation.ts';
import { namedSchemas } from '../../src/http/openapi/named-schemas.ts';
import { inputJsonSchema, replyJsonSchema } from '../../src/http/openapi/json-schema.ts';
import type { Json } from '../../src/http/openapi/types.ts';

/** Inputs that look right: each field as its schema wants it, most of the time. */
export function plausibleInput(op: Operation): fc.Arbitrary<Record<string, unknown>> {
  return valueOf(inputJsonSchema(op.input)) as fc.Arbitrary<Record<string, unknown>>;
}

/** Plausible inputs in which any field may hold anything, be missing, or be accompanied by others. */
export function hostileInput(op: Operation): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(op.input.entries);
  const name =
    names.length === 0 ? extraName : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, extraName);
  return fc
    .tuple(
      plausibleInput(op),
      fc.dictionary(name, hostileValue, { maxKeys: 3, noNullPrototype: true }),
      fc.subarray(names),
    )
    .map(([plausible, hostile, missing]) => {
      const kept = Object.entries(plausible).filter(
        ([key]) => missing.length === names.length || !missing.includes(key),
      );
      return Object.fromEntries([...kept, ...Object.entries(hostile)]);
    });
}

const extraName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'memberId',
  'authorId',
  'admin',
  'type',
  '$ref',
  '',
);

/** One UTF-16 unit each: lone surrogates and control characters included. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 40,
});

const hostileText = fc.constantFrom(
  '',
  '\u0000',
  '\ud800',
  'x'.repeat(5000),
  "'; drop table members; --",
  '%00%ff',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '\u202e\u0000\u001b[2J',
);

const hostileNumber = fc.oneof(
  fc.constantFrom(-0, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 63)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [{}], ['x'], { length: 5 }, { toString: null }, { __proto__: null }),
  fc.jsonValue({ maxDepth: 4 }),
);

const anyValue = fc.jsonValue();
const anyObject = fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
  noNullPrototype: true,
});

function valueOf(schema: Json): fc.Arbitrary<unknown> {
  if (typeof schema['$ref'] === 'string')
    return valueOf(replyJsonSchema(namedSchemas[schema['$ref'].split('/').at(-1)!]!));
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  const kinds = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(kinds) && schema['type'] === undefined) return fc.oneof(...(kinds as Json[]).map(valueOf));
  switch (schema['type']) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return fc.array(valueOf(schema['items'] as Json), {
        minLength: (schema['minItems'] as number | undefined) ?? 0,
        maxLength: Math.max(3, (schema['minItems'] as number | undefined) ?? 0),
      });
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: (schema['minimum'] as number | undefined) ?? -1000,
        max: (schema['maximum'] as number | undefined) ?? 1000,
      });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'string':
      return textOf(schema);
    default:
      return anyValue;
  }
}

function objectOf(schema: Json): fc.Arbitrary<unknown> {
  // Any object: its fields are no matter of the schema.
  if (schema['properties'] === undefined) return anyObject;
  const properties = Object.entries(schema['properties'] as Readonly<Record<string, Json>>);
  const requiredKeys = (schema['required'] ?? []) as string[];
  return fc.record(Object.fromEntries(properties.map(([name, property]) => [name, valueOf(property)])), {
    requiredKeys,
    noNullPrototype: true,
  });
}

const someTime = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });

/** Texts by what a schema says of them: making one takes as long as drawing a hundred values of it, and the same few are everywhere. */
const texts = new Map<string, fc.Arbitrary<string>>();

function textOf({ pattern, format, minLength, maxLength }: Json): fc.Arbitrary<string> {
  const key = JSON.stringify([pattern, format, minLength, maxLength]);
  const text = texts.get(key) ?? madeText(pattern, format, (minLength ?? 0) as number, (maxLength ?? 40) as number);
  texts.set(key, text);
  return text;
}

function madeText(pattern: unknown, format: unknown, least: number, most: number): fc.Arbitrary<string> {
  if (format === 'date-time') return someTime.map((time) => time.toISOString());
  if (typeof pattern === 'string')
    return pattern.includes('@') ? fc.emailAddress() : fc.stringMatching(new RegExp(pattern));
  return fc.oneof(
    fc.string({ unit: 'grapheme-ascii', minLength: least, maxLength: Math.min(most, 40) }),
    fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.min(most, 40) }),
  );
}
