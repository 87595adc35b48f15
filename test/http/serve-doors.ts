import type { Implementation } from '../../src/service/implement.ts';
import { randomUUID } from 'node:crypto';
import { authenticate } from '../../src/shared/members/authenticate.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { createByteBudget } from '../../src/http/byte-budget.ts';
import { unlimited } from '../../src/http/limits.ts';
import { mount } from '../../src/http/mount.ts';
import { publicProblem, respondProblem } from '../../src/http/respond.ts';
import type { Serving } from '../../src/http/serving.ts';
import { once } from '../../src/service/repeats.ts';
import { enqueue } from '../../src/platform/store/jobs/jobs.ts';
import type { House } from '../support/house.ts';
import { doors } from './doors.ts';
import { routed } from './routed.ts';

export type Doors = Implementation<typeof doors>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

export type Ask = (method: string, path: string, init?: RequestInit & { token?: string }) => Promise<Answer>;

/** Serves the doors out of a house, over an app of their own. @param scopes what every token is limited to */
export function serveDoors(
  house: House,
  changes: Partial<Doors> = {},
  trusted = false,
  scopes?: ReadonlySet<Scope>,
): Ask {
  const kind = `doors-${randomUUID()}`;
  const services: Doors = {
    show: async (_ctx, actor, { door }) => ({ door, seenBy: actor.kind === 'member' ? actor.memberId : 'a guest' }),
    create: async (ctx, _actor, { door, key }) =>
      await transaction(
        ctx,
        async (tx) => await once(tx, async () => ({ number: await buildDoor(tx, kind, door), key: key ?? 'no key' })),
      ),
    forge: async (ctx, _actor, { door }) =>
      await transaction(
        ctx,
        async (tx) => await once(tx, async () => ({ key: `key ${await buildDoor(tx, kind, door)} of ${door}` })),
      ),
    remove: async () => ({}),
    lock: async () => ({}),
    knock: async (_ctx, _actor, { door }) => ({ opened: door === 'front' }),
    paint: async (_ctx, _actor, { door, place, thick }, upload) => ({
      type: 'text/plain',
      content: `${door} ${place} ${thick ?? 'thin'} ${await textOf(upload.body)}`,
      headers: { 'x-shared': 'its own' },
    }),
    ...changes,
  };
  const { h3, routes } = routed();
  const serving: Serving = {
    trusted,
    jsonBodyLimit: () => 1000,
    checkReplies: true,
    limits: unlimited,
    bytes: createByteBudget(house.ctx.config.limits.bytes),
    bodyPace: house.ctx.config.server.bodyPace,
    memberNamed: () => Promise.resolve({ memberId: undefined, device: undefined }),
    authenticate: async (...call) => ({ ...(await authenticate(...call)), ...(scopes !== undefined && { scopes }) }),
    checkAppPassword: () => Promise.reject(new Error('no operation here has a scope that is presented')),
    async answer(event, op, handle) {
      const caller = { address: 'local', userAgent: 'test' };
      try {
        return await handle(event, house.ctx, caller, { 'x-shared': 'shared', 'x-request-id': 'id-1' });
      } catch (error) {
        return respondProblem(op.envelope, publicProblem(error, 'id-1'), {});
      }
    },
  };
  mount(routes, serving, doors, services);
  return async (method, path, { token, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', token);
    if (typeof init.body === 'string' && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const response = await h3.fetch(
      new Request(`http://node.test/api/social/doors${path}`, { ...init, method, headers }),
    );
    const text = await response.text();
    const { status } = response;
    return { status, headers: response.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** A door is a job that nobody carries out. @returns how many of this name there are now */
export async function buildDoor(tx: Context, kind: string, door: string): Promise<number> {
  const now = tx.clock.now();
  const id = `${kind}/${door}/${randomUUID()}`;
  await enqueue(tx.db, { id, kind: `${kind}/${door}`, payload: {}, runAt: now + 1e12, now });
  const { built } = await tx.db
    .selectFrom('jobs')
    .select((e) => e.fn.countAll<number>().as('built'))
    .where('kind', '=', `${kind}/${door}`)
    .executeTakeFirstOrThrow();
  return built;
}
