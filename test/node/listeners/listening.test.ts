import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { reservePort } from '../../support/reserved-ports.ts';
import { startNode } from '../../support/running-node.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const withPort = (port: number, host = '127.0.0.1') => startNode({ config: { port, host } });

describe('listening', () => {
  it('on a port that is taken is refused with its number and what to do, and never moves to another', async () => {
    const port = await takenPort();
    const started = withPort(port);
    await expect(started).rejects.toMatchObject({ kind: 'unavailable', code: 'PORT_IN_USE' });
    await expect(started).rejects.toThrow(
      new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken.*--port or CONCLAVE_PORT`),
    );
  });

  it('on a port of another protocol is refused', async () => {
    await expect(withPort(6000)).rejects.toMatchObject({ code: 'PORT_UNUSABLE' });
  });

  it('on an address of another machine is refused', async () => {
    await expect(withPort(0, '192.0.2.1')).rejects.toMatchObject({ code: 'HOST_UNUSABLE' });
    await expect(withPort(0, 'no-such-host.invalid')).rejects.toMatchObject({ code: 'HOST_UNUSABLE' });
  });

  it('takes exactly the port that was asked for', async () => {
    const port = await reservePort();
    await using node = await withPort(port);
    expect(node.ready).toMatchObject({ port, url: `http://127.0.0.1:${port}` });
  });

  it('on every address says which ones there are', async () => {
    await using node = await withPort(0, '0.0.0.0');
    expect(node.ready.url).toBe(`http://localhost:${node.ready.port}`);
    expect(node.engine.context.instance.addresses).toEqual(node.ready.urls);
    expect((await fetch(`http://127.0.0.1:${node.ready.port}/health`)).status).toBe(200);
  });

  it('understands names and IPv6', async () => {
    await using byName = await withPort(0, 'localhost');
    expect((await byName.fetch('/health')).status).toBe(200);
    await using six = await withPort(0, '::1');
    expect(six.ready.url).toBe(`http://[::1]:${six.ready.port}`);
    expect((await six.fetch('/health')).status).toBe(200);
  });
});
