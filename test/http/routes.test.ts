import { H3 } from 'h3';
import { describe, expect, it } from 'vitest';
import { topics } from '../../src/contract/all.ts';
import type { Contract } from '../../src/contract/operation.ts';
import { routed } from './routed.ts';

const operations = Object.values(topics).flatMap(({ contract }) => Object.values(contract as Contract));
const pathOf = (path: string) => path.replaceAll(/[:*](\w+)/g, 'some-$1');

/** Every operation of the contract, of which none was asked for. */
function fresh(): H3 {
  const { h3, routes } = routed();
  for (const { id, method, path } of operations) routes.on(method, path, ({ context }) => named(id, context.params));
  return h3;
}

/** The same with everything made at once. */
function complete(): H3 {
  const h3 = new H3({ silent: true });
  for (const { id, method, path } of operations)
    h3.on(method, path.replace(/\*(\w+)$/, '**:$1'), ({ context }) => named(id, context.params));
  for (const { path } of operations)
    h3.all(path.replace(/\*(\w+)$/, '**:$1'), () => new Response(null, { status: 405 }));
  return h3;
}

const named = (id: string, params: unknown) => Response.json({ id, params });
const ask = async (h3: H3, method: string, path: string) => {
  const response = await h3.fetch(new Request(`http://node.test${path}`, { method }));
  return { status: response.status, text: response.status === 200 ? await response.text() : '' };
};

describe('the routes of an app', () => {
  it('are there for the first request, whichever it is, and after every other', { tags: 'thorough' }, async () => {
    const all = complete();
    const used = fresh();
    for (const { id, method, path } of operations) {
      const answer = await ask(all, method, pathOf(path));
      expect(JSON.parse(answer.text)).toMatchObject({ id });
      expect(await ask(fresh(), method, pathOf(path))).toEqual(answer);
      expect(await ask(used, method, pathOf(path))).toEqual(answer);
    }
  });

  it('are those of an app that makes all at once, for paths that are written in unusual ways', async () => {
    const all = complete();
    const same = async (h3: H3, method: string, path: string) => {
      expect([method, path, await ask(h3, method, path)]).toEqual([method, path, await ask(all, method, path)]);
    };
    const ways = [
      (path: string) => `${path}/`,
      (path: string) => `${path}/more`,
      (path: string) => path.replace('/', '//'),
      (path: string) => path.slice(0, -1) || '/',
      (path: string) => path.toUpperCase(),
      (path: string) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    ];
    for (const way of ways) {
      const h3 = fresh();
      for (const { path } of operations) await same(h3, 'GET', way(pathOf(path)));
    }
    const odd = ['/', '//', '/api', '/api/', '/api/us%65r/login', '/api/user/../user/login', '/api%2Fuser/login'];
    for (const path of [...odd, '/s/a/', '/s/%2e%2e', '/docs/guides/', '/ledger/'])
      for (const method of ['GET', 'POST', 'PROPFIND']) await same(fresh(), method, path);
  });

  it('say which other methods a path has', async () => {
    const { h3, routes } = routed();
    routes.on('PUT', '/one/:id', () => new Response());
    routes.on('DELETE', '/one/:name', () => new Response());
    expect((await h3.fetch(new Request('http://node.test/one/1', { method: 'PATCH' }))).headers.get('allow')).toBe(
      'PUT, DELETE',
    );
  });
});
