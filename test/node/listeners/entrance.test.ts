import { createServer, request, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { loadedAtFirst, type Entrance } from '../../../src/node/listeners/entrance.ts';
import { collectLog } from '../../support/collected-log.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

async function listen(entrance: Entrance): Promise<string> {
  server = createServer(entrance.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with the body of the request. */
const echo: RequestListener = (incoming, response) => void incoming.pipe(response);

/** A load that ends when the test says so. */
function held(): { load: () => Promise<RequestListener>; end: (app: RequestListener) => void; times: () => number } {
  let times = 0;
  let end: (app: RequestListener) => void = () => {};
  const loaded = new Promise<RequestListener>((resolve) => (end = resolve));
  return {
    load: () => {
      times += 1;
      return loaded;
    },
    end: (app) => end(app),
    times: () => times,
  };
}

describe('an app that is loaded at its first request', () => {
  it('is loaded once for all that wait for it, with their bodies', async () => {
    const { load, end, times } = held();
    const url = await listen(loadedAtFirst(collectLog(), load));
    const answers = ['one', 'two'].map(async (body) => await (await fetch(url, { method: 'POST', body })).text());
    await expect.poll(times).toBe(1);
    end(echo);
    expect(await Promise.all(answers)).toEqual(['one', 'two']);
    expect(await (await fetch(url, { method: 'POST', body: 'three' })).text()).toBe('three');
    expect(times()).toBe(1);
  });

  it('is loaded before a request if somebody asks for it', async () => {
    const { load, end, times } = held();
    const entrance = loadedAtFirst(collectLog(), load);
    end(echo);
    await entrance.layOut();
    expect(times()).toBe(1);
    const url = await listen(entrance);
    expect(await (await fetch(url, { method: 'POST', body: 'x' })).text()).toBe('x');
    expect(times()).toBe(1);
  });

  it('answers 500 when it cannot be loaded, and is tried again at the next request', async () => {
    const log = collectLog();
    let broken = true;
    const entrance = loadedAtFirst(log, async () => {
      if (broken) throw new Error('a file is missing');
      return echo;
    });
    await entrance.layOut();
    const url = await listen(entrance);
    expect((await fetch(url)).status).toBe(500);
    expect(log.lines).toMatchObject([{ level: 'error', error: { message: 'a file is missing' } }]);
    broken = false;
    expect((await fetch(url)).status).toBe(200);
  });

  it('gives a request to nobody whose client has gone in the meantime', async () => {
    const { load, end, times } = held();
    const seen: string[] = [];
    const url = await listen(loadedAtFirst(collectLog(), load));
    const gone = request(`${url}/gone`).on('error', () => {});
    gone.end();
    await expect.poll(times).toBe(1);
    gone.destroy();
    await expect
      .poll(async () => await new Promise((r) => server!.getConnections((_error, count) => r(count))))
      .toBe(0);
    end((incoming, response) => {
      seen.push(incoming.url ?? '');
      response.end();
    });
    await fetch(`${url}/stays`);
    expect(seen).toEqual(['/stays']);
  });
});
