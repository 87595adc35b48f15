import { Problem } from './problem.ts';

/** Longer texts are cut, so that no whole body gets into a log line. */
const MAX_TEXT = 2_000;
const MAX_DEPTH = 4;
/** Longer lists are cut; whoever writes lists that have to be whole writes them in parts of this length. */
export const LOGGED_ITEMS = 50;

/** Fields with these names are secret at every depth. */
const secretName =
  /pass(?:word|phrase|wd)|secret|token|mnemonic|authorization|cookie|challenge|signature|backup_?code|private|jti|^key$|_?key$|seed|credential|verifier|sealed|body/i;

/**
 * Fields with these names hold hashes that everybody may know: of access lists, of the ledger, and the ids made of hashes. A key looks like
 * a hash, so a hash is shown only where its field says what it is. Add a name here only if its values are always public.
 */
const publicNames = new Set([
  'poolId',
  'hash',
  'hashes',
  'prev',
  'counting',
  'otherHash',
  'root',
  'leafHash',
  'chainId',
]);
/** SHA-256 in hex, and nothing beside it. */
const publicHash = /^[\da-f]{64}$/;

/**
 * Patterns of secrets in text from elsewhere, such as messages of libraries: tokens of three base64url parts, the password of a
 * URL, a URL's query, app passwords, bot tokens, long hexadecimal (keys and secrets have 64 digits or more; ids have at most 40).
 */
const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/\bconclave-bot-[\w-]+/gi, '[bot token]'],
  [/\b[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/g, '[token]'],
  [/\b([a-z][a-z\d+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, '$1:[hidden]@'],
  [/\b(https?:\/\/[^\s?#]+)\?[^\s#]*/gi, '$1'],
  [/\b[\da-f]{48,}\b/gi, '[hex]'],
  [/\b(bearer)\s+\S+/gi, '$1 [token]'],
  [/\b(basic)\s+[a-z\d+/]{12,}={0,2}/gi, '$1 [hidden]'],
  [/\b(?:[\da-z]{4}-){8}[\da-z]{4}\b/gi, '[app password]'],
];

/** Makes log fields safe to write: bounded in size, without secrets, and JSON only. */
export function inspectFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return inspectObject(fields, 0);
}

function inspectObject(object: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const inspected: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object).slice(0, LOGGED_ITEMS)) {
    if (value === undefined) continue;
    if (secretName.test(name)) inspected[name] = '[hidden]';
    else inspected[name] = publicNames.has(name) ? inspectPublic(value, depth + 1) : inspect(value, depth + 1);
  }
  return inspected;
}

function inspectPublic(value: unknown, depth: number): unknown {
  const isHash = (item: unknown) => typeof item === 'string' && publicHash.test(item);
  if (Array.isArray(value) && value.every(isHash)) return value.slice(0, LOGGED_ITEMS);
  return isHash(value) ? value : inspect(value, depth);
}

function inspect(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return inspectText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return typeof value === 'bigint' ? String(value) : `[${typeof value}]`;
  }
  if (value === null) return null;
  if (value instanceof Error) return inspectError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, LOGGED_ITEMS).map((item) => inspect(item, depth + 1));
  return inspectObject(value as Record<string, unknown>, depth);
}

/** Errors of libraries may have any properties, so only the properties that are known to be safe are logged. */
function inspectError(error: Error, depth: number): unknown {
  const { code } = error as { code?: unknown };
  const stack = error.stack?.slice(error.stack.indexOf('\n    at '));
  return {
    name: error.name,
    ...(typeof code === 'string' && { code: inspectText(code) }),
    message: inspectText(error.message),
    ...(error instanceof Problem && { kind: error.kind }),
    ...(stack?.startsWith('\n') === true && { stack: inspectText(stack.trim()) }),
    ...(error.cause !== undefined && depth <= MAX_DEPTH && { cause: inspect(error.cause, depth + 1) }),
  };
}

/** Removes secrets from a text by their shape, and cuts it. */
export function inspectText(text: string): string {
  let inspected = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  for (const [shape, instead] of secretShapes) inspected = inspected.replace(shape, instead);
  return inspected;
}
