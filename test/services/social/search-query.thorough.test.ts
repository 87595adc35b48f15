import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/base/problem.ts';
import { parseSocialQuery, type SocialQuery } from '../../../src/services/social/search/query.ts';
import { inStage, runs } from '../../support/stage.ts';

const nothing = { text: '', prefix: false, hashtags: [], from: [], hubs: [], has: [], before: undefined };

function refusal(q: string): unknown {
  try {
    parseSocialQuery(q);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the query of a search of posts', () => {
  it.each<[string, Partial<SocialQuery>]>([
    ['tea garden', { text: 'tea garden' }],
    ['  tea \t garden\u3000東京 ', { text: ' tea garden 東京 ' }],
    ['tea gard*', { text: 'tea gard*', prefix: true }],
    ['gard* tea', { text: 'gard* tea' }],
    ['#Tea', { hashtags: ['tea'] }],
    ['＃東京 tea ##Straße', { text: 'tea', hashtags: ['東京', 'strasse'] }],
    ['from:Ada from:@bob_1 FROM:me', { from: ['Ada', 'bob_1', 'me'] }],
    ['hub:garden has:IMAGE has:link', { hubs: ['garden'], has: ['image', 'link'] }],
    ['before:2026-01-31', { before: Date.UTC(2026, 0, 31) }],
    ['before:2026-01-31t18:00:00z before:2026-02-01', { before: Date.UTC(2026, 0, 31, 18) }],
    ['https://example.org/x to:ada', { text: 'https://example.org/x to:ada' }],
    ['from: has: # before:', { text: 'from: has: # before:' }],
    ['"from:ada" -from:bob', { text: '"from:ada" -from:bob' }],
  ])('reads %s', (q, expected) => {
    const read = parseSocialQuery(q);
    expect({ ...read, text: read.text.trim() }).toEqual({
      ...nothing,
      ...expected,
      text: (expected.text ?? '').trim(),
    });
  });

  it.each(['before:yesterday', 'before:2026-02-31', 'before:1e9', 'has:cats', 'has:"image"'])('refuses %s', (q) => {
    expect(refusal(q)).toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR', fields: [{ path: 'q' }] });
  });

  it('has at most 20 conditions', () => {
    expect(refusal('#a '.repeat(20))).toBeUndefined();
    expect(refusal('#a '.repeat(21))).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ path: 'q' }] });
  });

  it('is refused with a reason or read, whatever it is', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"',
        '*',
        'NEAR(',
        '-',
        '#',
        '＃',
        'from:',
        'before:',
        'has:',
        'hub:',
        '\0',
        '%',
        '_',
        "'",
        '🎉',
        '\u202e',
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const error = refusal(pieces.join(''));
        if (error !== undefined) expect(error).toBeInstanceOf(Problem);
      }),
      { numRuns: inStage(30, 30, runs(500)) },
    );
  });
});
