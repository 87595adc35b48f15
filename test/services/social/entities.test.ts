import { describe, expect, it } from 'vitest';
import { entitiesOf, type Entity } from '../../../src/services/social/posts/entities.ts';
import suite from '../../vectors/twitter-text.json' with { type: 'json' };

type Row = [string, string, string[] | [string, number, number][]];
const kinds = { mentions: 'mention', urls: 'url', hashtags: 'hashtag' } as const;

describe.each(Object.entries(kinds))('%s of the conformance suite', (section, kind) => {
  const found = (text: string): Entity[] => entitiesOf(text).filter((entity) => entity.kind === kind);
  it.each(suite[section as keyof typeof kinds] as Row[])('%s: %s', (_, text, expected) => {
    expect(found(text).map((entity) => entity.text)).toEqual(expected);
  });
  it.each(suite[`${section as keyof typeof kinds}_with_indices`] as Row[])('%s: %s', (_, text, expected) => {
    expect(found(text).map((entity) => [entity.text, entity.start, entity.end])).toEqual(expected);
  });
});
