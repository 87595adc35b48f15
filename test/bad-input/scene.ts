import { codeOfStatus } from '../../src/base/problem-status.ts';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { envelopes } from '../../src/contract/envelope.ts';
import type { Method, EnvelopeName } from '../../src/contract/operation.ts';
import type { EngineName } from '../../src/platform/store/database.ts';
import { tableCounts } from '../../src/platform/store/census.ts';
import { openHouse, type ApiAnswer, type ApiOptions, type House } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';

export const json = { 'content-type': 'application/json' };
export const registration = { username: 'somebody', email: 'somebody@example.org', password: 'a horse with no name' };

/** A registration with some fields otherwise. */
export function registering(fields: object): ApiOptions {
  return { body: { ...registration, ...fields } };
}

export interface Scene {
  readonly house: House;
  readonly member: HouseMember;
  readonly administrator: HouseMember;
  expectRefusal(
    status: number,
    code: string,
    method: Method,
    path: string,
    options?: ApiOptions,
    envelope?: EnvelopeName,
  ): Promise<ApiAnswer>;
}

/**
 * One house for the tests around it. After each of them nothing may have been written, others are served as before, and the log
 * has no unexpected error.
 */
export function openScene(engine: EngineName): Scene {
  let house: House;
  let member: HouseMember;
  let administrator: HouseMember;
  let before: unknown;

  beforeAll(async () => {
    house = await openHouse(engine);
    member = await house.register();
    administrator = await house.administrator();
  });
  afterAll(async () => {
    await house[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    before = await tableCounts(house.ctx.store);
  });
  afterEach(async () => {
    expect(await tableCounts(house.ctx.store), 'nothing was written').toEqual(before);
    const { status } = await house.api('GET', '/api/user/verify', { token: member.token });
    expect(status, 'others are served').toBe(200);
    expect(house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  return {
    get house() {
      return house;
    },
    get member() {
      return member;
    },
    get administrator() {
      return administrator;
    },
    async expectRefusal(status, code, method, path, options = {}, envelope = 'account') {
      const answer = await house.api(method, path, options);
      expectFailure(answer, status, code, envelope);
      return answer;
    },
  };
}

/** A failure in the envelope of its service, with what every answer has, and nothing of the inside of the program. */
export function expectFailure(answer: ApiAnswer, status: number, code: string, name: EnvelopeName = 'account'): void {
  const envelope = envelopes[name];
  const failure = envelope.failed(answer.body);
  const message = expect.stringMatching(/^.{3,2000}$/s) as unknown;
  expect([answer.status, failure?.code, failure?.message]).toEqual([status, code, message]);
  expect(answer.body).toEqual(envelope.failure(failure!, codeOfStatus(status)));
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const text = JSON.stringify(answer.body);
  for (const inside of ['node_modules', '.ts:', process.cwd(), tmpdir()]) expect(text).not.toContain(inside);
}
