import { describe, expect, it } from 'vitest';
import { codeFrom } from '../../src/base/problem-codes.ts';
import { fieldProblem, fieldsProblem, Problem } from '../../src/base/problem.ts';

describe('the refusal of a field', () => {
  it('says field and reason, or a sentence of its own, and names the field in both', () => {
    expect(fieldProblem('path', 'must be absolute')).toMatchObject({
      kind: 'invalid',
      code: 'VALIDATION_ERROR',
      message: 'path: must be absolute',
      fields: [{ path: 'path', message: 'must be absolute' }],
    });
    const cause = new Error('why');
    expect(
      fieldProblem('email', 'is taken', { code: 'EMAIL_TAKEN', sentence: 'The email is taken.', cause }),
    ).toMatchObject({
      code: 'EMAIL_TAKEN',
      message: 'The email is taken.',
      fields: [{ path: 'email', message: 'is taken' }],
      cause,
    });
  });

  it('says several in one line, and how many are left out', () => {
    const fields = [
      { path: 'a', message: 'is missing' },
      { path: '', message: 'is no object' },
    ];
    expect(fieldsProblem(fields)).toMatchObject({ message: 'a: is missing; is no object', fields });
    expect(fieldsProblem(fields, 3).message).toBe('a: is missing; is no object; and 3 more');
  });
});

describe('a code', () => {
  it('is one of a list, or the types don’t fit', () => {
    // @ts-expect-error -- not in the list
    expect(new Problem('missing', 'NOT_FUOND', '').code).toBe('NOT_FUOND');
    // @ts-expect-error -- of the program, and never of a field
    expect(fieldProblem('a', 'b', { code: 'USAGE' }).code).toBe('USAGE');
  });

  it('of somebody else is in the list, or unknown', () => {
    expect(['NOT_FOUND', 'POOL_CLOSED', 'constructor', 'OF_TOMORROW', '', 7, undefined].map(codeFrom)).toEqual([
      'NOT_FOUND',
      'POOL_CLOSED',
      'UNKNOWN',
      'UNKNOWN',
      'UNKNOWN',
      'UNKNOWN',
      'UNKNOWN',
    ]);
  });
});
