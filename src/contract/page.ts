import * as v from 'valibot';
import type { ErrorCode } from './error-codes.ts';
import { integer, line } from './text.ts';
import { pageLimits } from './page/limits.ts';

const cursor = v.optional(
  v.pipe(line(pageLimits.cursor), v.description('from the previous page; valid only for this list with these filters')),
);
const next = v.optional(v.pipe(v.string(), v.description('cursor of the next page; missing on the last one')));
const nextOrNull = v.pipe(v.nullable(v.string()), v.description('cursor of the next page; null on the last one'));
// Older servers send no such property. It has a fallback and is not optional, because the documents describe what all servers now send.
const hasMore = v.fallback(v.boolean(), false);
const limited = (most: number, what = 'largest number of items on a page') =>
  v.pipe(integer(1, most), v.description(what));

interface ListOptions {
  /** the property of the reply that holds the list */
  readonly name: string;
  readonly of: v.GenericSchema;
  /** fields that filter the list; names that occur in the path are read from there */
  readonly filter?: v.ObjectEntries;
  /** other properties of the reply */
  readonly more?: v.ObjectEntries;
  /** codes in addition to INVALID_CURSOR */
  readonly errors?: readonly ErrorCode[];
  /** the largest page; 100 by default */
  readonly most?: number;
  /** the default page size, if this list has its own */
  readonly limit?: number;
  /** how the last page says that it is the last; by default it has no cursor */
  readonly end?: 'null';
}

// Conditional, so that the type of the filter is not inferred from the input of an operation.
type Filter<O> = O extends { readonly filter: infer F extends v.ObjectEntries } ? F : object;
type More<O> = O extends { readonly more: infer M extends v.ObjectEntries } ? M : object;
type Codes<O> = O extends { readonly errors: readonly (infer C extends ErrorCode)[] } ? C : never;
type Cursor<O> = O extends { readonly end: 'null' } ? typeof nextOrNull : typeof next;
type Items<O extends ListOptions> = { readonly [K in O['name']]: v.ArraySchema<O['of'], undefined> };

/**
 * The input, reply and codes of an operation that lists things in pages. Spread it into the operation. All envelopes contain
 * `{<name>: […], cursor?, hasMore}`.
 */
export function paged<const O extends ListOptions>(options: O) {
  const { most = 100, limit = pageLimits.size, end } = options;
  return {
    input: v.object({ ...(options.filter as Filter<O>), limit: v.optional(limited(most), limit), cursor }),
    reply: v.object({
      ...items(options),
      ...(options.more as More<O>),
      cursor: (end === 'null' ? nextOrNull : next) as Cursor<O>,
      hasMore,
    }),
    errors: codes(options),
  };
}

/** As `paged`, for a list that is returned whole if neither `limit` nor `cursor` is given. */
export function pagedOrWhole<const O extends Omit<ListOptions, 'limit' | 'end'>>(options: O) {
  const limit = limited(options.most ?? 100, 'largest number of items on a page; without limit and cursor, all items');
  return {
    input: v.object({ ...(options.filter as Filter<O>), limit: v.optional(limit), cursor }),
    reply: v.object({ ...items(options), ...(options.more as More<O>), cursor: next, hasMore }),
    errors: codes(options),
  };
}

/** As `pagedOrWhole`, for a list that is a bare array if neither `limit` nor `cursor` is given, and an object with it as a page. */
export function arrayOrPaged<const O extends Omit<ListOptions, 'limit' | 'more' | 'end'>>(options: O) {
  const { input, reply, errors } = pagedOrWhole(options);
  return { input, reply: v.union([v.array(options.of as O['of']), reply]), errors };
}

function items<O extends ListOptions>({ name, of }: O) {
  return { [name]: v.array(of) } as Items<O>;
}

function codes<O extends ListOptions>({ errors = [] }: O): (Codes<O> | 'INVALID_CURSOR')[] {
  return [...(errors as readonly Codes<O>[]), 'INVALID_CURSOR'];
}
