import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../src/contract/all.ts';
import type { Method, Operation } from '../src/contract/operation.ts';
import { openApiPath } from '../src/http/openapi/operation-object.ts';
import type { Json, OpenApiDocument } from '../src/http/openapi/types.ts';
import { complaints, keyOf, operationOf, type World } from './conformance/complaints.ts';
import { filled, readTable, surfaceOfSystem, type Row } from './conformance/table.ts';
import { schemaCompiler } from './http/schema-compiler.ts';
import { runAccountScenario } from './services/accounts/account-scenario.ts';
import { runCalendarScenario } from './services/calendar/calendar-scenario.ts';
import { runChatScenario } from './services/chat/chat-scenario.ts';
import { runContactsScenario } from './services/contacts/contacts-scenario.ts';
import { runFilevaultScenario } from './services/filevault/filevault-scenario.ts';
import { runMailScenario } from './services/mail/mail-scenario.ts';
import { config as mailConfig } from './support/mail-config.ts';
import { runNotificationScenario } from './services/notifications/notification-scenario.ts';
import { runPoolScenario } from './services/pool/pool-scenario.ts';
import { openHouse, type Fetch, type House } from './support/house.ts';
import { runPassvaultScenario } from './services/passvault/passvault-scenario.ts';
import { runQuorumScenario } from './services/quorum/quorum-scenario.ts';
import { runHubScenario } from './services/social/hub-scenario.ts';
import { runMessageScenario } from './services/social/message-scenario.ts';
import { runSocialScenario } from './services/social/social-scenario.ts';
import { inStage } from './support/stage.ts';
import { engines } from './support/stores.ts';
import { rangeService, type RangeService } from './services/passvault/range-service.ts';

/** Systems that are built: each of their endpoints has to be there. */
const complete = ['accounts', 'pool', 'passvault', 'quorum', 'email', 'filevault', 'social', 'chat'];

const table = await readTable();
const present = table.filter((row) => operationOf(row) !== undefined);
const base = 'http://node.test';

let house: House;
let world: World;
let watched: Watched;
let breaches: RangeService;

beforeAll(async () => {
  breaches = await rangeService({ password: 3 });
  const vaults = {
    bcryptRounds: 4,
    idleMs: 900_000,
    emergencyWaitMs: 0,
    breachUrl: breaches.url,
    breachList: undefined,
  };
  house = await openHouse(engines[0]!, { config: { vaults, ...mailConfig } });
  const document = (await (await house.fetch(new Request(`${base}/openapi.json`))).json()) as OpenApiDocument;
  // Compiling a schema takes longer than all that is asked of its operation.
  watched = watch(house.fetch, document, inStage(4, 4, 1));
  const [member, administrator] = [await house.register(), await house.administrator()];
  await runAccountScenario(watched.fetch, base, 'conformance');
  await runPoolScenario(house.ctx, watched.fetch, base, `Bearer ${administrator.token}`);
  const [owner, recipient, trustee] = [await house.register(), await house.register(), await house.register()];
  await runPassvaultScenario(watched.fetch, base, { owner, recipient, trustee }, true);
  const keepers = [await house.register(), await house.register(), await house.register()];
  await runQuorumScenario(watched.fetch, base, { administrator, accounts: keepers });
  await runNotificationScenario(watched.fetch, base, { administrator, member });
  const [ada, bob] = [await house.register(), await house.register()];
  await runMailScenario(watched.fetch, base, { ada, bob }, 'home.example');
  await runSocialScenario(watched.fetch, base, { ada, bob, administrator });
  await runMessageScenario(watched.fetch, base, { ada, bob, cleo: member, administrator });
  await runHubScenario(watched.fetch, base, { owner: ada, member: bob, other: member });
  await runFilevaultScenario(watched.fetch, base, { owner: ada, editor: bob });
  await runChatScenario(watched.fetch, base, { ada, bob });
  await runCalendarScenario(watched.fetch, base, { ada, bob });
  await runContactsScenario(watched.fetch, base, ada);
  await watched.fetch(
    new Request(`${base}/api/user/backup-codes`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${member.token}` },
    }),
  );
  world = {
    fetch: house.fetch,
    document,
    used: watched.used,
    member: `Bearer ${member.token}`,
    administrator: `Bearer ${administrator.token}`,
  };
});

afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await breaches[Symbol.asyncDispose]();
});

interface Watched {
  readonly fetch: Fetch;
  /** statuses by method and shape of the path */
  readonly used: ReadonlyMap<string, ReadonlySet<number>>;
  /** answers that the OpenAPI document describes otherwise, or not at all */
  readonly misdescribed: readonly string[];
}

/** @param step compares the answers of each so many operations */
function watch(fetch: Fetch, document: OpenApiDocument, step = 1): Watched {
  const used = new Map<string, Set<number>>();
  const misdescribed: string[] = [];
  // Of two, a fixed path is meant before one with a parameter, and both before one that takes the rest.
  const operations = allOperations().toSorted((one, other) => vagueness(one.path) - vagueness(other.path));
  const patterns = new Map(operations.map((one) => [one, patternOf(one.path)]));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const compile = schemaCompiler(ajv, document.components.schemas);
  const watching: Fetch = async (request) => {
    const response = await fetch(request);
    const path = new URL(request.url).pathname;
    const op = operations.find((one) => one.method === request.method && patterns.get(one)!.test(path));
    if (op === undefined) throw new Error(`${request.method} ${path} is no operation`);
    const key = keyOf(op.method, op.path);
    used.set(key, new Set([...(used.get(key) ?? []), response.status]));
    // A file is sent as it is, and 204 says nothing.
    if (op.form === 'raw' || response.status === 204 || operations.indexOf(op) % step !== 0) return response;
    const schema = schemaOf(document, op, response.status);
    const fits = schema && compile(schema);
    if (fits?.(await response.clone().json()) !== true)
      misdescribed.push(`${request.method} ${path} ${response.status}: ${ajv.errorsText(fits?.errors)}`);
    return response;
  };
  return { fetch: watching, used, misdescribed };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\*\w+/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`);
}

function vagueness(path: string): number {
  return path.split(':').length + (path.includes('*') ? 100 : 0);
}

function schemaOf(document: OpenApiDocument, op: Operation, status: number): Json | undefined {
  const response = document.paths[openApiPath(op.path)]?.[op.method.toLowerCase()]?.responses[String(status)];
  if (response === undefined) return undefined;
  const { content } = '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response;
  return content?.['application/json']?.schema;
}

describe('the documented endpoints', () => {
  it('are 254, each once, of nine systems', () => {
    expect(table).toHaveLength(254);
    expect(new Set(table.map((row) => `${row.method} ${row.path}`)).size).toBe(254);
    expect([...new Set(table.map((row) => row.system))].sort()).toEqual(Object.keys(surfaceOfSystem).sort());
  });

  it('that are not there are named', () => {
    const missing = new Map<string, number>();
    for (const row of table) if (!present.includes(row)) missing.set(row.system, (missing.get(row.system) ?? 0) + 1);
    const named = [...missing].map(([system, count]) => `${system} ${count}`).join(', ');
    console.log(`${present.length} of ${table.length} documented endpoints exist; missing: ${named || 'none'}`);
    expect(complete.filter((system) => missing.has(system))).toEqual([]);
    expect([...missing.values()].reduce((sum, count) => sum + count, 0)).toBe(table.length - present.length);
  });

  it('are there exactly where the node itself answers', async () => {
    const answering: string[] = [];
    for (const row of table) {
      // No path has OPTIONS: one that is there says which methods it has, and one that isn't there says 404.
      const response = await house.fetch(new Request(base + filled(row.path, 'x'), { method: 'OPTIONS' }));
      const allowed = response.headers.get('allow')?.split(', ') ?? [];
      expect(response.status, row.path).toBe(response.headers.has('allow') ? 405 : 404);
      if (allowed.includes(row.method)) answering.push(`${row.method} ${row.path}`);
    }
    expect(answering).toEqual(present.map((row) => `${row.method} ${row.path}`));
  });

  it.each(present.map((row) => [`${row.method} ${row.path}`, row] as const))('%s conforms', async (_, row) => {
    expect(await complaints(row, world)).toEqual([]);
  });

  it('answer what the OpenAPI document says they answer', () => {
    expect(watched.misdescribed).toEqual([]);
    expect(watched.used.size).toBeGreaterThanOrEqual(present.length);
  });
});

describe('the check', () => {
  const row = (method: Method, path: string, more: Partial<Row> = {}): Row => {
    const known = table.find((one) => one.method === method && one.path === path);
    return { system: 'accounts', auth: 'member', success: 200, errors: [401], method, path, ...known, ...more };
  };

  it.each([
    ['an endpoint that is not there', row('GET', '/api/user/horoscope'), /^is absent$/],
    ['one with another method', row('PATCH', '/api/user/settings'), /^is absent$/],
    ['one of a service that is not built', row('POST', '/api/weather/forecast'), /^is absent$/],
    ['one with one segment more', row('GET', '/api/user/verify/:id'), /^is absent$/],
    ['another success', row('GET', '/api/user/verify', { success: 201 }), /answered 200 instead of 201/],
    ['a failure that is not described', row('GET', '/api/user/verify', { errors: [401, 418] }), /does not say 418/],
    [
      'an endpoint that wants no token',
      row('POST', '/api/user/login', { auth: 'member' }),
      /without a token: 400 instead of 401/,
    ],
    ['an endpoint that wants a token', row('GET', '/api/user/verify', { auth: 'none', errors: [] }), /wants a token/],
    [
      'an endpoint that is for everybody',
      row('GET', '/api/user/verify', { auth: 'admin' }),
      /for a member: 200 instead of 403/,
    ],
    ['another envelope', row('GET', '/api/user/verify', { system: 'social' }), /not in the envelope of social/],
    ['an endpoint that nobody has used', row('GET', '/api/admin/members', { auth: 'admin' }), /nobody has used it/],
  ])('notices %s', async (_, made, complaint) => {
    expect((await complaints(made, world)).join('\n')).toMatch(complaint);
  });

  it('notices an answer that the OpenAPI document does not describe', async () => {
    const document = structuredClone(world.document) as unknown as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    const responses = document.paths['/api/user/verify']!['get']!.responses;
    responses['200'] = { content: { 'application/json': { schema: { required: ['horoscope'] } } } };
    delete responses['401'];
    const other = watch(house.fetch, document as unknown as OpenApiDocument);
    for (const authorization of [world.member, 'garbage']) {
      await other.fetch(new Request(`${base}/api/user/verify`, { headers: { authorization } }));
    }
    expect(other.misdescribed).toEqual([
      expect.stringContaining('verify 200: data must have'),
      expect.stringContaining('verify 401'),
    ]);
  });
});
