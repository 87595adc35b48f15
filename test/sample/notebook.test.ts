import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { download, upload } from '../../src/client/bodies.ts';
import { remoteTransport, socketTransport } from '../../src/client/http-transport.ts';
import { sendWithin } from '../../src/client/local-transport.ts';
import { collectPages } from '../../src/client/pages.ts';
import { perform, type Caller } from '../../src/client/perform.ts';
import type { Transport } from '../../src/client/transport.ts';
import type { Db } from '../../src/platform/store/database.ts';
import { runInBackground } from '../../src/node/listeners/background.ts';
import { services } from '../../src/node/services.ts';
import { openHouse } from '../support/house.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { bothEngines } from '../support/stores.ts';
import { connectWs } from '../support/ws-client.ts';
import { notebook, notebookService } from './notebook.ts';

/** What a service may cost, commands and topic included. */
const MOST_LINES = 150;
const files = ['notebook.ts', 'commands/notebook/add.ts', 'commands/notebook/list.ts', 'commands/notebook/topic.json'];

/** All that a node needs to serve one more service. */
const all = [...services, notebookService];

async function makeTable(db: Db): Promise<void> {
  await sql`create table sample_notes (id text primary key, member_id text, title text, reminded integer, drawing text)`.execute(
    db,
  );
}

function callerOf(send: Transport['send'], token: string): Caller {
  const transport: Transport = { send, [Symbol.asyncDispose]: async () => {} };
  return { transport, place: 'the node', userAgent: 'test', tokenFor: async () => token };
}

/** Uses what a service has, as a command would. @returns the ids of the notes, the oldest first */
async function use(caller: Caller): Promise<string[]> {
  const ids: string[] = [];
  for (const title of ['Milk and honey', 'Bread', 'Almond milk'])
    ids.push((await perform(caller, notebook.add, { title })).note.id);
  const { items } = await collectPages(caller, notebook.list, {}, 'notes', { perPage: 2 });
  expect(items.map(({ title }) => title)).toEqual(['Almond milk', 'Bread', 'Milk and honey']);
  const found = await perform(caller, notebook.find, { q: 'MILK' });
  expect(found.ids).toEqual([ids[2], ids[0]]);

  const image = Buffer.alloc(200_000, 'pixels');
  const content = {
    type: 'image/png',
    size: image.length,
    async *pieces() {
      yield image;
    },
  };
  expect(await upload(caller, notebook.draw, { id: ids[0]! }, content)).toEqual({ size: image.length });
  const { body } = await download(caller, notebook.drawing, { id: ids[0]! });
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(image)).toBe(true);
  await expect(download(caller, notebook.drawing, { id: ids[1]! })).rejects.toMatchObject({ kind: 'missing' });
  await expect(perform(caller, notebook.list, { cursor: 'made-up' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
  return ids;
}

it('a further service takes few lines', async () => {
  const texts = await Promise.all(files.map(async (file) => await readFile(new URL(file, import.meta.url), 'utf8')));
  expect(texts.join('').split('\n').length - 1).toBeLessThanOrEqual(MOST_LINES);
});

describe.each(bothEngines)('a further service, on %s', (engine) => {
  it('is one more in the list of services: operations, search, bodies, jobs and the ledger work', async () => {
    await using house = await openHouse(engine, { services: all });
    await makeTable(house.ctx.db);
    const { token } = await house.register();
    const caller = callerOf(sendWithin(house.fetch), token);
    await use(caller);
    await house.ctx.ledger.settled();
    const kinds = await house.ctx.db.selectFrom('ledger_entries').select('body').execute();
    expect(kinds.filter(({ body }) => Buffer.from(body).includes('NOTEBOOK_ADDED'))).toHaveLength(3);

    const stopping = new AbortController();
    house.clock.advance(1_000);
    const background = runInBackground(house.ctx, all, stopping.signal);
    const reminded = async () => (await perform(caller, notebook.list, {})).notes.every((note) => note.reminded);
    await expect.poll(reminded, { timeout: 60_000 }).toBe(true);
    stopping.abort();
    await background;
  });
});

describe('a further service of a running node', () => {
  let node: RunningNode;
  beforeAll(async () => {
    node = await startNode({ services: all });
    await makeTable(node.engine.context.db);
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  async function register(username: string): Promise<{ token: string; memberId: string }> {
    const body = JSON.stringify({ username, email: `${username}@example.org`, password: 'analytical engines' });
    const headers = { 'content-type': 'application/json' };
    const answer = await node.fetch('/api/user/register', { method: 'POST', headers, body });
    return JSON.parse(await answer.text()).data;
  }

  it.each([
    ['in this process', () => sendWithin(async (request) => await node.engine.fetch(request))],
    ['over TCP', () => remoteTransport(new URL(node.ready.url), undefined).send],
    ['over the control socket', () => socketTransport(node.ready.controlSocket ?? '').send],
  ])('works %s', async (way, send) => {
    const { token } = await register(way.replaceAll(' ', '-'));
    expect(await use(callerOf(send(), token))).toHaveLength(3);
  });

  it('tells of its events, also those of before', async () => {
    const { token, memberId } = await register('listener');
    const caller = callerOf(remoteTransport(new URL(node.ready.url), undefined).send, token);
    const { note } = await perform(caller, notebook.add, { title: 'Before' });
    using socket = await connectWs(node.ready.url, { authorization: `Bearer ${token}` });
    expect(await socket.next()).toMatchObject({ type: 'ready' });
    socket.send({ type: 'resume', topics: { [`notebook:${memberId}`]: 0 } });
    expect(await socket.next()).toMatchObject({ type: 'note:added', seq: 1, data: { id: note.id } });
  });

  it('stands in the reference and in both documents', async () => {
    const text = async (path: string) => await (await node.fetch(path)).text();
    expect(await text('/openapi.json')).toContain('"operationId":"notebook.add"');
    expect(await text('/asyncapi.json')).toContain('note:added');
    expect(await text('/docs')).toContain('Notebook');
  });
});
