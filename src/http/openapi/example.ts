import type { Json } from './types.ts';

/** Realistic values by the name of the field. All other values follow from the schema. */
const byName: Readonly<Record<string, unknown>> = {
  address: 'node.example:7879',
  addresses: ['/ip4/192.0.2.7/tcp/7879'],
  code: '287082',
  connect: 'conclave login NAME --server https://home.example',
  content: 'Y29uY2xhdmU=',
  cidrs: ['192.0.2.0/24'],
  cardholderName: 'Ada Lovelace',
  cardNumber: '4111111111111111',
  currency: 'EUR',
  cvv: '123',
  database: 'members',
  detail: 'ok',
  email: 'ada@example.org',
  endTime: '07:00',
  expirationDate: '11/2030',
  fileContent: 'bmFtZSx1cmw=',
  fileName: 'july.pdf',
  filename: 'recovery-codes.txt',
  format: 'auto',
  from: '08:00',
  mailDomain: 'home.example',
  message: 'the node in the cellar',
  mimeType: 'text/plain',
  mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  name: 'Home',
  newPassword: 'a lighthouse hums at dusk',
  notes: 'Made in 2026',
  password: 'a lighthouse hums at dawn',
  query: 'git',
  reason: 'The fingerprints differ.',
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  separator: '-',
  siteLanguage: 'en',
  siteUrl: 'https://github.com/login',
  startTime: '22:00',
  tags: ['work'],
  timezone: 'Europe/Vienna',
  title: 'GitHub',
  to: '18:00',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJtIjoiYWRhIn0.c2lnbmF0dXJl',
  topics: ['vaults:0123456789abcdef01234567'],
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  uri: 'https://github.com',
  userAgent: 'conclave/0.1.0 (linux)',
  username: 'ada',
  ownerUsername: 'ada',
  value: '4711',
  // RFC 8291, appendix A
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  websiteUrl: 'https://ada.example',
};

export type Resolve = (reference: string) => Json;

/** A value that fits the schema, as far as names and rules tell. */
export function exampleOf(schema: Json, resolve: Resolve, name = ''): unknown {
  if (typeof schema['$ref'] === 'string') return exampleOf(resolve(schema['$ref']), resolve, name);
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  const [first] = (schema['oneOf'] ?? schema['anyOf'] ?? []) as readonly Json[];
  if (first !== undefined) return exampleOf(first, resolve, name);
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, resolve);
    case 'array':
      return Array.isArray(byName[name]) ? byName[name] : [exampleOf(schema['items'] as Json, resolve, singular(name))];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'null':
      return null;
    case 'string':
      return textOf(schema, name);
    default:
      return {};
  }
}

function objectOf(schema: Json, resolve: Resolve): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const more = schema['additionalProperties'];
  // The token tells who the actor is, and some fields are for other bodies than the usual one.
  const isShown = (property: Json) => property['x-actor'] !== true && property['x-in-example'] !== false;
  const shown = properties.filter(([, property]) => isShown(property));
  const fields = shown.map(([name, property]) => [name, exampleOf(property, resolve, name)] as const);
  if (typeof more === 'object' && more !== null)
    fields.push([keyOf(schema), exampleOf(more as Json, resolve, 'value')]);
  return Object.fromEntries(fields);
}

/** A key for an object that may have any keys. */
function keyOf({ propertyNames }: Json): string {
  const pattern = (propertyNames as Json | undefined)?.['pattern'];
  const [topic = ''] = byName['topics'] as string[];
  return typeof pattern === 'string' && new RegExp(pattern, 'u').test(topic) ? topic : 'key';
}

function textOf(schema: Json, name: string): string {
  if (schema['format'] === 'date-time') return '2026-01-15T12:00:00.000Z';
  const named = byName[name] ?? byName[name.replace(/^.*(?=Password$)/, '').toLowerCase()];
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : undefined;
  const candidates = [
    ...(typeof named === 'string' ? [named] : []),
    name === '' ? 'text' : name,
    // Keys, hashes, challenges and ids are hexadecimal digits of various lengths.
    ...[24, 32, 40, 64, 66, 128, 130, 182, 200, 208].map((length) => '0123456789abcdef'.repeat(13).slice(0, length)),
  ];
  const fits = (text: string): boolean =>
    (pattern === undefined || pattern.test(text)) &&
    text.length >= Number(schema['minLength'] ?? 0) &&
    text.length <= Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  return candidates.find(fits) ?? candidates[0] ?? '';
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
