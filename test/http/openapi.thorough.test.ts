import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { execa } from 'execa';
import fc from 'fast-check';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { allOperations, allTopics } from '../../src/contract/all.ts';
import { errorCodes, type ErrorCode } from '../../src/contract/error-codes.ts';
import { pathParameters } from '../../src/contract/operation.ts';
import { checkInput } from '../../src/http/input.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { inputJsonSchema, replyJsonSchema } from '../../src/http/openapi/json-schema.ts';
import { openApiPath } from '../../src/http/openapi/operation-object.ts';
import type { Json, OperationObject, Reference, SuccessObject } from '../../src/http/openapi/types.ts';
import { hostileInput, plausibleInput } from './arbitrary-input.ts';
import { schemaCompiler } from './schema-compiler.ts';
import { inStage, runs } from '../support/stage.ts';

const { config } = await loadConfig({ flags: { 'data-dir': '/nowhere' }, env: {}, home: '/nowhere', cwd: '/nowhere' });
const sent = (value: unknown) => JSON.parse(JSON.stringify(value));
const document = openApiDocument(allTopics, config.limits, '1.2.3');
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, op]) => ({ method, path, op })),
);
const byId = (id: string): OperationObject => operations.find(({ op }) => op.operationId === id)!.op;

/** Compiles a schema of the document. One for all tests: what schemas name is compiled once. */
let compile: ReturnType<typeof schemaCompiler>;
beforeAll(() => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, formats: { password: true, 'date-time': true } });
  ajv.addVocabulary(['components', 'discriminator', 'x-actor', 'x-in-example']);
  compile = schemaCompiler(ajv, document.components.schemas);
});

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(sent(document));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('would not be called valid if it were not', async () => {
    const broken = sent(document);
    delete broken.paths['/api/user/login'].post.responses;
    broken.paths['/api/user/verify'].get.parameters = [{ name: 'x' }];
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('describes every operation once, under its method and path', () => {
    const described = operations.map(({ method, path, op }) => [op.operationId, method, path]);
    const local = [
      'members.create-administrator',
      'node.store-status',
      'node.verify-store',
      'node.back-up-store',
      'ledger.recover',
      'ledger.recovery',
      'ledger.verify',
      'filevault.check-all',
      'filevault.collect-garbage',
      'filevault.release-quarantined',
    ];
    const served = allOperations().filter(({ id }) => !local.includes(id));
    expect(allOperations().length - served.length).toBe(local.length);
    // Methods of one path stand together, wherever the contract has them.
    const declared = served.map((op) => [op.id, op.method.toLowerCase(), openApiPath(op.path)]);
    expect(described.sort()).toEqual(declared.sort());
    expect(openApiPath('/a/:id/b/*rest')).toBe('/a/{id}/b/{rest}');
  });

  it('has schemas that a validator understands, without a reference into the void', { tags: 'soak' }, () => {
    for (const { op } of operations) {
      for (const parameter of op.parameters) compile(parameter.schema);
      for (const { schema } of Object.values(op.requestBody?.content ?? {})) compile(schema);
      for (const response of Object.values(op.responses)) {
        for (const { schema } of Object.values(resolved(response).content ?? {})) compile(schema);
      }
    }
    expect(() => compile({ $ref: '#/components/schemas/nothing' })).toThrow('nothing');
  });

  it('has examples of failures that fit their schemas', { tags: 'thorough' }, () => {
    const step = inStage(3, 3, 1);
    for (const failure of Object.values(document.components.responses).filter((_, at) => at % step === 0)) {
      const { schema, examples } = failure.content!['application/json']!;
      const fits = compile(schema);
      expect(Object.keys(examples!)).toEqual(failure['x-error-codes']);
      for (const example of Object.values(examples!)) expect(fits((example as { value: unknown }).value)).toBe(true);
    }
  });

  it('has an example for every body and every reply, which fits its schema', () => {
    let checked = 0;
    // Compiling is what takes long.
    const step = inStage(3, 3, 1);
    for (const { op } of operations.filter((_, at) => at % step === 0)) {
      const success = Object.values(op.responses).find((response) => !('$ref' in response)) as SuccessObject;
      for (const content of [op.requestBody?.content, success.content]) {
        const json = content?.['application/json'];
        if (json === undefined || Object.keys(json.schema).length === 0) continue;
        const fits = compile(json.schema);
        expect(fits(sent(json.example)), `${op.operationId}: ${JSON.stringify([json.example, fits.errors])}`).toBe(
          true,
        );
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(240 / step);
  });

  it('has examples of bodies that the server takes', () => {
    for (const { op: described } of operations) {
      const body = described.requestBody?.content['application/json']?.example;
      if (body === undefined) continue;
      const op = allOperations().find(({ id }) => id === described.operationId)!;
      const path = Object.fromEntries(
        pathParameters(op.path).map((name) => [name, inPath[name] ?? '0123456789abcdef'.repeat(2)]),
      );
      expect(() => checkInput(op, { ...(sent(body) as Record<string, unknown>), ...path }), op.id).not.toThrow();
    }
  });
  const inPath: Record<string, string> = {
    memberId: '0123456789abcdef01234567',
    principalId: '0123456789abcdef01234567',
    targetType: 'folder',
    index: '0',
  };

  it('names what there is, and every entry is of one of its types', () => {
    const { schemas } = document.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['User', 'Vault', 'Entry', 'Session', 'Member', 'PoolNode']),
    );
    expect(schemas['Entry']).toEqual({
      oneOf: ['Login', 'CreditCard', 'SecureNote'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      discriminator: {
        propertyName: 'type',
        mapping: {
          login: '#/components/schemas/Login',
          credit_card: '#/components/schemas/CreditCard',
          secure_note: '#/components/schemas/SecureNote',
        },
      },
    });
    expect(byId('passvault.create-entry').requestBody!.content['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/NewEntry',
    });
    const login = schemas['Login']!['properties'] as Json;
    expect(login['type']).toEqual({ type: 'string', const: 'login' });
    expect(Object.keys(login)).toEqual(expect.arrayContaining(['password', 'notes', 'customFields']));
    expect(login).not.toHaveProperty('cardNumber');
    const fits = compile({ $ref: '#/components/schemas/NewEntry' });
    expect(fits({ type: 'secure_note', title: 'x', content: 'y' })).toBe(true);
    expect(fits({ type: 'passport', title: 'x' })).toBe(false);
  });

  it('has a description for every operation, and the codes of its failures as an enumeration', () => {
    for (const { op } of operations) {
      expect(op.description.length, op.operationId).toBeGreaterThan(20);
      expect(op.description).not.toBe(op.summary);
    }
    const { schema } = resolved(byId('passvault.show-entry').responses['404']!).content!['application/json']!;
    const failure = (code: string) => ({ success: false, error: { code, message: 'x' } });
    expect(
      ['VAULT_NOT_FOUND', 'ENTRY_NOT_FOUND', 'NODE_NOT_FOUND'].map((code) => compile(schema)(failure(code))),
    ).toEqual([true, true, false]);
  });

  it('has the code of the status and the reasons beside it, where failures have both', () => {
    const { schema } = resolved(byId('social.hub').responses['404']!).content!['application/json']!;
    const failure = (code: string, reason: string) => ({ status: 'error', error: { code, reason, message: 'x' } });
    const fits = compile(schema);
    expect(fits(failure('NOT_FOUND', 'HUB_NOT_FOUND'))).toBe(true);
    expect(fits(failure('HUB_NOT_FOUND', 'HUB_NOT_FOUND'))).toBe(false);
    expect(fits(failure('NOT_FOUND', 'VAULT_NOT_FOUND'))).toBe(false);
  });

  it('has nothing that the control socket alone serves', () => {
    expect(JSON.stringify(document)).not.toMatch(/x-local-only|create-administrator|store-status|BACKUP_TARGET_EXISTS/);
  });

  it('lists each code under the status that it has', () => {
    for (const { op } of operations) {
      for (const [status, response] of Object.entries(op.responses)) {
        if (!('$ref' in response)) continue;
        const codes = (resolved(response) as unknown as { 'x-error-codes': ErrorCode[] })['x-error-codes'];
        for (const code of codes) expect(String(errorCodes[code].status)).toBe(status);
      }
    }
  });

  it('says who may call what', () => {
    expect(byId('account.login').security).toEqual([]);
    expect(byId('account.verify').security).toEqual([{ bearer: [] }]);
    expect(byId('mail.inbox').security).toEqual([{ bearer: [] }, { appPassword: [] }]);
    expect(byId('members.list')['x-required-roles']).toEqual({ any: ['Admin', 'System'] });
    expect(byId('members.list').description).toContain('Needs one of the roles `Admin`, `System`.');
    for (const { op } of operations) {
      expect(Object.keys(op.responses).includes('401'), op.operationId).toBe(
        op.security.length > 0 || op.operationId in answers401,
      );
    }
  });
  const answers401 = {
    'account.login': 1,
    'account.direct-challenge': 1,
    'account.recover': 1,
    'filevault.open-link': 1,
    'filevault.download-link': 1,
  };

  it('says what is counted and how much may be sent', () => {
    expect(byId('account.login')['x-rate-limit']).toEqual({
      name: 'signIn',
      enabled: true,
      perAccount: { requests: 10, seconds: 900 },
      perAddress: { requests: 30, seconds: 900 },
      accountFields: ['username'],
    });
    expect(byId('account.register')['x-rate-limit']).toEqual({
      name: 'registration',
      enabled: true,
      perAddress: { requests: 10, seconds: 3600 },
    });
    expect(byId('account.login')['x-max-body-bytes']).toBe(1_048_576);
    expect(byId('account.verify')).not.toHaveProperty('x-max-body-bytes');
    const without = openApiDocument(allTopics, { ...config.limits, enabled: false, jsonBody: 2000 }, '1').paths[
      '/api/user/login'
    ]!['post']!;
    expect(without).toMatchObject({ 'x-rate-limit': { enabled: false }, 'x-max-body-bytes': 2000 });
  });

  it('names the headers of answers', () => {
    const names = (id: string, status: string) => Object.keys(resolved(byId(id).responses[status]!).headers);
    const counted = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    expect(names('account.verify', '200')).toEqual(counted);
    expect(names('account.refresh-token', '200')).toEqual([...counted, 'authorization']);
    expect(names('account.verify', '429')).toEqual([...counted, 'Retry-After']);
    expect(names('account.verify', '401')).toContain('WWW-Authenticate');
    expect(names('account.verify', '503')).toContain('Retry-After');
  });

  it('is what the script writes', { tags: 'soak' }, async () => {
    const { stdout } = await execa('node', ['--import', 'tsx', 'scripts/openapi.ts']);
    const written = JSON.parse(stdout);
    expect(written).toEqual(sent({ ...document, info: { ...document.info, version: written.info.version } }));
  });

  it('refuses a contract that says something twice', () => {
    const [first] = allTopics;
    expect(() => openApiDocument([first!, first!], config.limits, '1')).toThrow('declared twice');
  });

  function resolved(response: SuccessObject | Reference): SuccessObject {
    if (!('$ref' in response)) return response;
    return document.components.responses[response.$ref.replace('#/components/responses/', '')]!;
  }
});

const tried = allOperations().filter((_, at) => at % inStage(2, 2, 1) === 0);

describe.each(tried.map((op) => [op.id, op] as const))(
  'the schema of the input of %s',
  { tags: 'thorough' },
  (_, op) => {
    const { properties } = inputJsonSchema(op.input) as { properties: Record<string, { type?: string }> };
    const numbers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
    const accepted = (input: Record<string, unknown>) => {
      try {
        checkInput(op, input);
        return true;
      } catch {
        return false;
      }
    };

    it('takes what the server takes', () => {
      const fits = compile(inputJsonSchema(op.input));
      let taken = 0;
      const agree = (input: Record<string, unknown>): void => {
        // Whole numbers may come as text, which only a query needs.
        const arrived = sent(input);
        if (!accepted(arrived) || numbers.some((name) => typeof arrived[name] === 'string')) return;
        taken += 1;
        expect(fits(arrived), JSON.stringify(fits.errors)).toBe(true);
      };
      fc.assert(fc.property(fc.oneof(plausibleInput(op), hostileInput(op)), agree), { numRuns: runs(20) });
      // Of plausible inputs some are taken. How many depends on how narrow their fields are, so of few there may be none.
      const more = (count: number): void => fc.sample(plausibleInput(op), count).forEach(agree);
      for (const count of [100, 1_000, 10_000]) if (taken === 0) more(count);
      expect(taken).toBeGreaterThan(0);
    });
  },
);

describe('JSON Schema', () => {
  it('says secrets, actors and descriptions', () => {
    expect(inputJsonSchema(v.pipe(v.string(), v.metadata({ secret: true }), v.description('a key')))).toEqual({
      type: 'string',
      format: 'password',
      description: 'a key',
    });
    expect(inputJsonSchema(v.pipe(v.string(), v.metadata({ actor: true })))).toMatchObject({ 'x-actor': true });
  });

  it('has every pattern, where there are several', () => {
    const patterns = v.pipe(v.string(), v.regex(/a/), v.regex(/b/u), v.regex(/c/));
    const schema = inputJsonSchema(patterns);
    const fits = new Ajv2020().compile(schema);
    for (const text of ['abc', 'ab', 'bc', 'ac', '']) expect(fits(text), text).toBe(v.is(patterns, text));
  });

  it('passes over checks and changes of the text, and stops before a change of the type', () => {
    const schema = v.pipe(
      v.string(),
      v.trim(),
      v.toLowerCase(),
      v.check((text) => text !== ''),
      v.maxLength(5),
      v.transform(Number),
    );
    expect(inputJsonSchema(schema)).toEqual({ type: 'string', maxLength: 5 });
    expect(replyJsonSchema(v.pipe(v.string(), v.isoTimestamp()))).toEqual({ type: 'string', format: 'date-time' });
  });

  it('is not made of what it cannot say', () => {
    expect(() => inputJsonSchema(v.pipe(v.string(), v.regex(/a/i)))).toThrow('flags');
    expect(() => inputJsonSchema(v.date())).toThrow('date');
    expect(() => inputJsonSchema(v.pipe(v.string(), v.words('en', 3)))).toThrow('words');
  });
});
