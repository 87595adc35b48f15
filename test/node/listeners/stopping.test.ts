import { describe, expect, it } from 'vitest';
import { connectRaw } from '../../support/raw-client.ts';
import { startNode } from '../../support/running-node.ts';

const body = JSON.stringify({ username: 'nobody', password: 'nothing at all' });
const head = `POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`;

describe('stopping', () => {
  it('lets a request that is under way finish, takes no new ones, and is not ready meanwhile', async () => {
    await using node = await startNode();
    using busy = await connectRaw(node.ready.port);
    using kept = await connectRaw(node.ready.port);
    await kept.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await kept.waitFor('{"status":"ok"}');
    await busy.write(head + body.slice(0, 10));
    await busy.waitFor('100 Continue');

    const stopped = node.stop();
    await kept.closed;
    await expect(connectRaw(node.ready.port)).rejects.toThrow('ECONNREFUSED');
    await busy.write(body.slice(10));
    await busy.closed;
    expect(busy.received).toMatch(/^HTTP\/1\.1 401 /m);
    expect(busy.received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    await stopped;
    expect(node.log.lines.map(({ message }) => message as string)).toEqual(
      expect.arrayContaining(['stopping', 'stopped']),
    );
  });

  it('cuts what has not finished when the time is over', async () => {
    await using node = await startNode({ env: { CONCLAVE_SERVER_DRAIN: '300ms' } });
    using stuck = await connectRaw(node.ready.port);
    await stuck.write(head);
    await stuck.waitFor('100 Continue');
    await node.stop();
    await stuck.closed;
    // It got no answer but the one that asked for more.
    expect(stuck.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });

  it('waits for nothing when nobody is there', async () => {
    // Longer than any test may take.
    await using node = await startNode({ env: { CONCLAVE_SERVER_DRAIN: '1h' } });
    await node.stop();
    expect(node.log.lines.map(({ message }) => message)).toContain('stopped');
  });
});
