import * as v from 'valibot';
import type { ErrorCode } from './error-codes.ts';
import { integer, line } from './text.ts';
import { pageLimits } from './page/limits.ts';

const cursor = v.optional(
  v.pipe(line(pageLimits.cursor), v.description('from the previous page; valid only for this list with these filters')),
);
const next = v.optional(v.pipe(v.string(), v.description('cursor of the next page; missing on the last one')));
// Servers of before a list had pages answer without it. Not optional: that is how documents would have it, and every server sends it.
const hasMore = v.fallback(v.boolean(), false);
const limited = (most: number, what = 'largest number of items on a page') =>
  v.pipe(integer(1, most), v.description(what));

interface ListOptions {
  /** what the reply calls the things */
  readonly name: string;
  readonly of: v.GenericSchema;
  /** what chooses them; names that occur in the path come from there */
  readonly filter?: v.ObjectEntries;
  /** what the reply says beside them */
  readonly more?: v.ObjectEntries;
  /** codes beside INVALID_CURSOR */
  readonly errors?: readonly ErrorCode[];
  /** of a page, where it isn't 100 */
  readonly most?: number;
  /** of a page, where the list has a size of its own and none is said */
  readonly limit?: number;
}

// Conditional, so that nothing is inferred from what an operation would take.
type Filter<O> = O extends { readonly filter: infer F extends v.ObjectEntries } ? F : object;
type More<O> = O extends { readonly more: infer M extends v.ObjectEntries } ? M : object;
type Codes<O> = O extends { readonly errors: readonly (infer C extends ErrorCode)[] } ? C : never;
type Items<O extends ListOptions> = { readonly [K in O['name']]: v.ArraySchema<O['of'], undefined> };

/**
 * Input, reply and codes of an operation that lists things in pages; to be spread into it. Every envelope wraps the same:
 * `{<name>: […], cursor?, hasMore}`.
 */
export function paged<const O extends ListOptions>(options: O) {
  const { most = 100, limit = pageLimits.size } = options;
  return {
    input: v.object({ ...(options.filter as Filter<O>), limit: v.optional(limited(most), limit), cursor }),
    reply: v.object({ ...items(options), ...(options.more as More<O>), cursor: next, hasMore }),
    errors: codes(options),
  };
}

/** The same for a list that comes whole where neither `limit` nor `cursor` is given. */
export function pagedOrWhole<const O extends Omit<ListOptions, 'limit'>>(options: O) {
  const limit = limited(options.most ?? 100, 'largest number of items on a page; without limit and cursor, all items');
  return {
    input: v.object({ ...(options.filter as Filter<O>), limit: v.optional(limit), cursor }),
    reply: v.object({ ...items(options), ...(options.more as More<O>), cursor: next, hasMore }),
    errors: codes(options),
  };
}

function items<O extends ListOptions>({ name, of }: O) {
  return { [name]: v.array(of) } as Items<O>;
}

function codes<O extends ListOptions>({ errors = [] }: O): (Codes<O> | 'INVALID_CURSOR')[] {
  return [...(errors as readonly Codes<O>[]), 'INVALID_CURSOR'];
}
