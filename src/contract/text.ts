import * as v from 'valibot';

/**
 * The kinds of text that operations accept. All input is well-formed Unicode without control characters. Its length is checked before any
 * other code processes it.
 */

const loneSurrogate = /\p{Surrogate}/u;
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- as above, but for text of several lines
const controlButLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

const wellFormed = v.check((text: string) => !loneSurrogate.test(text), 'is not well-formed Unicode');

/** How long a text is: in code points, as JSON Schema and PostgreSQL count, so that an emoji is not two of them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Refuses text of more than `max` code points. One has at most two UTF-16 units, so a flood is refused before it is counted. */
export function atMost(max: number) {
  return v.pipe(
    v.string('must be text'),
    v.check(
      (text) => text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max),
      `must be at most ${max} characters`,
    ),
    v.metadata({ maxLength: max }),
  );
}

/** Refuses text of fewer than `min` code points. OpenAPI says so if `minLength` stands in the metadata. */
export function atLeast(min: number) {
  return v.check((text: string) => lengthOf(text) >= min, `must be at least ${min} characters`);
}

/** One line of 1 to `max` code points. */
export function line(max: number) {
  return v.pipe(
    atMost(max),
    v.minLength(1, 'must not be empty'),
    wellFormed,
    v.check((text) => !controlCharacter.test(text), 'must not contain control characters'),
  );
}

/** A name that a person gives, of 1 to `max` code points. It is not part of a path. Composed and decomposed accents are equal. */
export function givenName(max: number) {
  return v.pipe(
    line(max),
    v.check((text) => text.trim() !== '', 'must not be blank'),
    v.check((text) => !text.includes('/'), 'must not contain /'),
    v.normalize('NFC'),
  );
}

/** Text of several lines, of 0 to `max` code points. */
export function paragraph(max: number) {
  return v.pipe(
    atMost(max),
    wellFormed,
    v.check((text) => !controlButLines.test(text), 'must not contain control characters'),
  );
}

/** Text that is stored unchanged, of 0 to `max` code points: any characters, spaces at the ends, line ends of any kind. */
export function verbatim(max: number) {
  return v.pipe(atMost(max), wellFormed);
}

/** A secret that a person types. It is marked, so that commands read it from a hidden prompt or a file and never from an argument. */
export function secretText(max: number) {
  return v.pipe(line(max), v.metadata({ secret: true }));
}

/** Hex for exactly `bytes` bytes, or for any number up to `max` bytes. The result is lower case. */
export function hex(bytes: number | { readonly max: number }) {
  const pattern = typeof bytes === 'number' ? new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`) : /^(?:[0-9a-fA-F]{2})+$/;
  const most = (typeof bytes === 'number' ? bytes : bytes.max) * 2;
  const what =
    typeof bytes === 'number' ? `must be ${most} hex digits` : `must be an even number of hex digits, at most ${most}`;
  return v.pipe(v.string('must be text'), v.maxLength(most, what), v.regex(pattern, what), v.toLowerCase());
}

export const recordId = hex(16);
export const memberId = hex(12);

/** How people name a member: by the whole name, in any case. A text in the form of an id is always an id. */
export const memberName = v.pipe(line(254), v.description('id, username or verified e-mail address of a member'));

/** A field that names the actor. It may be left out; otherwise it must be the token's member. */
export const actorField = v.optional(v.pipe(memberId, v.metadata({ actor: true })));

export const timestamp = v.pipe(v.string(), v.isoTimestamp());

const aTime = 'must be a time such as 2026-01-02T03:04:05Z';
/** What `Date` prints has a year of four digits up to here, in any zone. */
const latest = Date.UTC(9999, 11, 31);

/** V8 reads the 31st of February as the 3rd of March, and some spellings of zones that the form allows are none to `Date`. */
function isMoment(text: string): boolean {
  const day = text.slice(0, 10);
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day) && Date.parse(text) <= latest;
}

/** A time that somebody gives, in any zone. */
export const moment = v.pipe(v.string('must be a time'), v.isoTimestamp(aTime), v.check(isMoment, aTime));

/** A yes or no in a query. */
export const trueOrFalse = v.picklist(['true', 'false'], 'must be true or false');

export const username = v.pipe(
  v.string('must be text'),
  v.minLength(3, 'must be 3 to 30 characters'),
  v.maxLength(30, 'must be 3 to 30 characters'),
  v.regex(/^[A-Za-z0-9_-]+$/, 'may hold letters, digits, _ and - alone'),
);

/** RFC 5321 limits: 64 bytes before the @, 254 in total. The set of letters is built once, because that takes time at every start. */
export const email = v.pipe(
  line(254),
  v.regex(/^[^\s@<>()[\]\\,;:"]{1,64}@(?:(?!-)[\p{L}\p{N}-]{1,63}(?<!-)(?:\.(?!$)|$))+$/u, 'is not an e-mail address'),
  // A pattern for readers of JSON Schema that do not support Unicode classes.
  v.metadata({ pattern: String.raw`^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$` }),
);

/** Numbers come as text in a query and as numbers in a body. */
export function integer(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d{1,15}$/), v.transform(Number))], range),
    v.integer(range),
    v.minValue(min, range),
    v.maxValue(max, range),
  );
}
