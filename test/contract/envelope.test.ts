import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOfStatus } from '../../src/base/problem-status.ts';
import { envelopes, envelopeNameOf } from '../../src/contract/envelope.ts';
import type { EnvelopeName } from '../../src/contract/operation.ts';

const ajv = new Ajv2020();
const names = Object.keys(envelopes) as EnvelopeName[];
const text = fc.string({ unit: 'binary' });
const failure = fc.record({
  code: text,
  message: text,
  fields: fc.array(fc.record({ path: text, message: text }), { maxLength: 3 }),
});
// Replies are objects, and none has a property that its envelope has itself; the test of the contract sees to that.
const reply = fc.dictionary(
  text.filter((name) => name !== 'message'),
  fc.jsonValue(),
);

/** What arrives: -0 and undefined don't survive JSON. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(names)('the envelope of %s', (name) => {
  const envelope = envelopes[name];

  it('opens to the reply that went in, and fits its schema', () => {
    const fits = ajv.compile(envelope.successSchema({ type: 'object' }));
    fc.assert(
      fc.property(reply, text, (value, message) => {
        const body = sent(envelope.success(value, message));
        expect(envelope.reply(body)).toEqual(sent(value));
        expect(fits(body), ajv.errorsText(fits.errors)).toBe(true);
      }),
    );
  });

  it('opens to the failure that went in, and fits its schema', () => {
    const fits = ajv.compile(envelope.failureSchema);
    fc.assert(
      fc.property(failure, fc.constantFrom(400, 404, 409, 503), (value, status) => {
        const body = sent(envelope.failure(value, codeOfStatus(status)));
        expect(envelope.failed(body)).toEqual(value);
        expect(fits(body), ajv.errorsText(fits.errors)).toBe(true);
      }),
    );
  });

  it('has what programs need of a failure, if its errors are objects', () => {
    const value = { code: 'THERE', message: 'It is there.', fields: [], details: { id: 'a1' } };
    const body = sent(envelope.failure(value, 'ALREADY_EXISTS'));
    const isNested = typeof (body as { error: unknown }).error === 'object';
    expect(envelope.failed(body)?.details).toEqual(isNested ? { id: 'a1' } : undefined);
    expect(ajv.validate(envelope.failureSchema, body)).toBe(true);
  });

  it('is not taken for what it is not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const failed = envelope.failed(body);
        if (failed !== undefined)
          expect(envelope.failureSchema).toSatisfy((schema: object) => ajv.validate(schema, body));
      }),
    );
    for (const nonsense of [null, 1, 'text', [], {}, { error: null }, { message: 1, error: 2 }, '<html>']) {
      expect(envelope.failed(nonsense)).toBeUndefined();
    }
  });
});

describe('the code of a failure of the social network', () => {
  it.each([
    [400, 'VALIDATION_ERROR'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [405, 'VALIDATION_ERROR'],
    [409, 'ALREADY_EXISTS'],
    [410, 'GONE'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL_ERROR'],
    [502, 'SERVICE_UNAVAILABLE'],
    [503, 'SERVICE_UNAVAILABLE'],
    [507, 'SERVICE_UNAVAILABLE'],
  ])('comes from the status %i', (status, code) => {
    const refused = { code: 'HUB_NOT_FOUND', message: 'Why', fields: [] };
    const error = { code, reason: 'HUB_NOT_FOUND', message: 'Why' };
    expect(envelopes.social.failure(refused, codeOfStatus(status))).toEqual({ status: 'error', error });
  });

  it('is read from older servers, too, which have no reason', () => {
    const error = { code: 'HUB_NOT_FOUND', message: 'Why' };
    expect(envelopes.social.failed({ status: 'error', error })?.code).toBe('HUB_NOT_FOUND');
  });
});

describe('envelopes as the documents write them', () => {
  const refused = { code: 'CODE', message: 'Why', fields: [{ path: 'a.b', message: 'is missing' }] };
  const errors = refused.fields;
  const written: Readonly<Record<EnvelopeName, readonly [success: unknown, failure: unknown]>> = {
    account: [
      { message: 'Done', id: 1 },
      { message: 'Why', error: 'CODE', errors },
    ],
    filevault: [{ id: 1 }, { message: 'Why', error: 'CODE', errors }],
    quorum: [{ message: 'Done', id: 1 }, { error: { code: 'CODE', message: 'Why', errors } }],
    passvault: [
      { success: true, data: { id: 1 } },
      { success: false, error: { code: 'CODE', message: 'Why', errors } },
    ],
    social: [
      { status: 'success', data: { id: 1 }, message: 'Done' },
      { status: 'error', error: { code: 'ALREADY_EXISTS', reason: 'CODE', message: 'Why', errors } },
    ],
    email: [
      { status: 'success', data: { id: 1 }, message: 'Done' },
      { status: 'error', error: { code: 'CODE', message: 'Why', errors } },
    ],
    calendar: [{ id: 1 }, { status: 'error', error: { code: 'CODE', message: 'Why', errors } }],
    system: [{ id: 1 }, { message: 'Why', error: 'CODE', errors }],
  };

  it.each(names)('%s', (name) => {
    const [success, failed] = written[name];
    expect(envelopes[name].success({ id: 1 }, 'Done')).toEqual(success);
    expect(envelopes[name].failure(refused, 'ALREADY_EXISTS')).toEqual(failed);
    expect(JSON.stringify(envelopes[name].failure({ ...refused, fields: [] }, 'ALREADY_EXISTS'))).not.toContain(
      'errors',
    );
  });

  it('are chosen by whole segments of the path', () => {
    expect(envelopeNameOf('/api/user')).toBe('account');
    expect(envelopeNameOf('/api/user/anything/below')).toBe('account');
    expect(envelopeNameOf('/api/users')).toBe('system');
    expect(envelopeNameOf('/api/admin/pool/nothing')).toBe('account');
    expect(envelopeNameOf('/filevault/x')).toBe('filevault');
    expect(envelopeNameOf('/api/groups/x')).toBe('social');
    expect(envelopeNameOf('/api/emails')).toBe('email');
    expect(envelopeNameOf('/api/cal/x')).toBe('calendar');
    expect(envelopeNameOf('/api/calendar')).toBe('system');
    expect(envelopeNameOf('/')).toBe('system');
  });
});
