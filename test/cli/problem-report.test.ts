import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { reportProblem } from '../../src/cli/kit/problem-report.ts';
import { Problem } from '../../src/base/problem.ts';

/** A server's words: an escape of one byte, an order reversed, a line of its own, half a character. */
const hostile = 'no \u009b31m\u202egnp\u2028{"ok": true}\u0007\n\ud800';

function report(error: unknown, json: boolean): { said: string; code: number } {
  const stderr = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const code = reportProblem({ ...streams, env: {} }, error, { json, command: 'whoami', server: undefined });
  return { said: String(stderr.read()), code };
}

describe('what went wrong', () => {
  const problem = new Problem('forbidden', 'FORBIDDEN', hostile, {
    fields: [{ path: `path ${hostile}`, message: `message ${hostile}` }],
  });

  it('is one line of JSON that does nothing to a terminal, and still the same text', () => {
    const { said, code } = report(problem, true);
    expect(code).toBe(5);
    expect(said).toMatch(/^[^\n]+\n$/);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
    expect(said.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]|\p{Surrogate}/u);
    expect(JSON.parse(said)).toMatchObject({
      error: {
        code: 'FORBIDDEN',
        message: hostile,
        fields: [{ path: `path ${hostile}`, message: `message ${hostile}` }],
      },
    });
  });

  it('names a field as the command line does, and as the interface does in JSON', () => {
    const error = new Problem('invalid', 'VALIDATION_ERROR', 'expirationDate: must be MM/YYYY', {
      fields: [
        { path: 'expirationDate', message: 'must be MM/YYYY' },
        { path: 'siteLanguage', message: 'must be a language tag' },
      ],
    });
    const said = (json: boolean) => {
      const stderr = new PassThrough();
      const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
      reportProblem({ ...streams, env: {} }, error, { json, command: 'vault edit', flags: ['site-language'] });
      return String(stderr.read());
    };
    expect(said(false)).toContain('  expires: must be MM/YYYY\n  --site-language: must be a language tag\n');
    expect(said(false)).not.toContain('expirationDate');
    expect(said(true)).toContain('"path":"expirationDate"');
  });

  it('does nothing to a terminal as text either', () => {
    const { said } = report(problem, false);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]|\p{Surrogate}/u);
  });
});
