import * as v from 'valibot';

const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;
const entityTags = new RegExp(`^\\s*(?:\\*|${entityTag.source}(?:\\s*,\\s*${entityTag.source})*)\\s*$`);

/**
 * `If-Match` (RFC 9110 13.1.1): its strong tags. A weak tag matches nothing. `*` requires only that there is something, and is undefined as if
 * the header were missing.
 */
export const ifMatch = v.optional(
  v.pipe(
    v.string(),
    v.maxLength(1_000),
    v.regex(entityTags, 'must be * or entity tags such as "5f3a"'),
    v.description(
      'refuses with `PRECONDITION_FAILED` unless what is there has one of these `etag`s; weak tags never match',
    ),
    v.metadata({ header: 'If-Match' }),
    v.transform((text): readonly string[] | undefined =>
      text.trim() === '*'
        ? undefined
        : [...text.matchAll(new RegExp(entityTag, 'g'))].flatMap(([, weak, tag = '']) =>
            weak === undefined ? tag : [],
          ),
    ),
  ),
);
