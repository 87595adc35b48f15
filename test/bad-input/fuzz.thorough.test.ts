import { codeOfStatus } from '../../src/base/problem-status.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { envelopes } from '../../src/contract/envelope.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { placesOf } from '../../src/http/input.ts';
import { failuresOf } from '../../src/http/openapi/failures.ts';
import { hostileInput, plausibleInput } from '../http/arbitrary-input.ts';
import { openHouse, type House } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { inStage, runs } from '../support/stage.ts';
import { engines } from '../support/stores.ts';

/** Writes where the caller says, as the operator may: not a place for guessed paths. */
const untouched = new Set(['node.back-up-store']);
const every = allOperations().filter((op) => !untouched.has(op.id));
/** Before the last stage each second one; those beside it are received by the same code. */
const operations = every.filter((_, at) => at % inStage(2, 2, 1) === 0);

type Who = 'guest' | 'stranger' | 'member' | 'administrator' | 'operator';

interface Shot {
  readonly who: Who;
  readonly input: Record<string, unknown>;
  readonly type: string;
  /** what a byte of the body becomes, where the body is damaged at all */
  readonly damage: { readonly at: number; readonly byte: number } | undefined;
  readonly headers: Record<string, string>;
}

const someHeaders = fc.constantFrom<Record<string, string>>(
  {},
  { 'idempotency-key': 'again' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'x-forwarded-for': '1.2.3.4, <script>' },
  { accept: 'text/html', 'accept-encoding': 'br', 'if-none-match': '*' },
  { 'user-agent': '\u00ff'.repeat(300), origin: 'null' },
  { 'content-encoding': 'gzip', 'x-http-method-override': 'DELETE' },
);

const shotAt = (op: Operation): fc.Arbitrary<Shot> =>
  fc.record({
    who: fc.constantFrom<Who>('guest', 'stranger', 'member', 'administrator', 'administrator', 'operator'),
    input: fc.oneof(plausibleInput(op), hostileInput(op)),
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      fc.constantFrom('', 'text/plain', 'application/json; charset=utf-16'),
    ),
    damage: fc.option(fc.record({ at: fc.nat(200), byte: fc.nat(255) }), { freq: 8, nil: undefined }),
    headers: someHeaders,
  });

function requestOf(op: Operation, shot: Shot, authorization: string | undefined): Request {
  const places = placesOf(op);
  const inPath = new Set(places.path);
  const path = op.path.replaceAll(/[:*](\w+)/g, (_, name: string) => encoded(shot.input[name]));
  const rest = Object.entries(shot.input).filter(([name]) => !inPath.has(name));
  const query = places.hasJsonBody
    ? ''
    : `?${rest.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`;
  const hasBody = op.method !== 'GET';
  const body = Buffer.from(JSON.stringify(Object.fromEntries(rest)));
  if (shot.damage !== undefined && body.length > 0) body[shot.damage.at % body.length] = shot.damage.byte;
  const headers = {
    ...shot.headers,
    ...(hasBody && { 'content-type': shot.type }),
    ...(authorization !== undefined && { authorization }),
  };
  return new Request(`http://node.test${path}${query}`, { method: op.method, headers, ...(hasBody && { body }) });
}

/** Percent-encoded, with what can't be encoded (halves of surrogate pairs) as nonsense. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ed%a0%80';
  }
}

interface Cast {
  readonly house: House;
  readonly members: Record<'member' | 'administrator', HouseMember>;
}

/** Everybody who sends something, signed in: signing out is one of the things that are tried. */
async function tokensOf({ house, members }: Cast): Promise<Record<Who, string | undefined>> {
  for (const [who, member] of Object.entries(members) as [keyof Cast['members'], HouseMember][]) {
    if ((await house.api('GET', '/api/user/verify', { token: member.token })).status === 200) continue;
    const login = await house.api('POST', '/api/user/login', {
      body: { username: member.username, password: member.password },
    });
    members[who] = { ...member, token: login.body.data.token };
  }
  const { member, administrator } = members;
  const stranger = 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.AAAA';
  return {
    guest: undefined,
    stranger,
    member: member.token,
    administrator: administrator.token,
    operator: await house.operatorToken(),
  };
}

describe('whatever is sent', () => {
  let cast: Cast;
  beforeAll(async () => {
    const house = await openHouse(engines[0]!);
    cast = { house, members: { member: await house.register(), administrator: await house.administrator() } };
  });
  afterAll(async () => {
    await cast.house[Symbol.asyncDispose]();
  });

  it.each(operations.map((op) => [op.id, op] as const))(
    'to %s gets an answer that the interface describes',
    async (_, op) => {
      const { house } = cast;
      const tokens = await tokensOf(cast);
      const described = [op.status, ...failuresOf(op).keys(), ...(op.id.startsWith('reference.') ? [304] : [])];
      const answered = new Set<number>();
      await fc.assert(
        fc.asyncProperty(shotAt(op), async (shot) => {
          const fetch = shot.who === 'operator' ? house.trustedFetch : house.fetch;
          const request = requestOf(op, shot, tokens[shot.who]);
          const response = await within(60_000, fetch(request));
          const text = await response.text();
          answered.add(response.status);
          expect(response.status, text).not.toBe(500);
          if (isElsewhere(request, op)) return;
          // Over TCP what is local isn't there; another method of its path may be.
          const isThere = op.localOnly !== true || shot.who === 'operator';
          expect(isThere ? described : [404, 405], text).toContain(response.status);
          if (response.status < 400) return;
          // People at a booking page read why.
          const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
          if (op.id.startsWith('bookingPage.') && isPage) {
            expect(text).toMatch(/^<!doctype html>/);
            return;
          }
          const { failed, failure } = envelopes[op.envelope];
          const body: unknown = JSON.parse(text);
          expect(failure(failed(body)!, codeOfStatus(response.status))).toEqual(body);
        }),
        // Those that stretch a password take 50 times as long as the others.
        { numRuns: runs(op.errors.includes('OVERLOADED') ? 12 : 30) },
      );
      expect(house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
      // Whoever needs a token has met a guest, and somebody who is none. Over TCP what is local isn't there, for nobody.
      const least = op.auth === 'none' || op.localOnly === true ? 1 : 2;
      expect(answered.size, [...answered].join()).toBeGreaterThanOrEqual(least);
    },
  );
});

/** A parameter of the path that is empty, or `.` or `..`, makes the path another one. */
function isElsewhere(request: Request, op: Operation): boolean {
  return new URL(request.url).pathname.split('/').filter(Boolean).length !== op.path.split('/').filter(Boolean).length;
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(late);
  }
}
