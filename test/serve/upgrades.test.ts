import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/realtime/close-codes.ts';
import { connectRaw } from '../support/raw-client.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

function upgradeTo(path: string): string {
  const key = randomBytes(16).toString('base64');
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`;
}

/** A client that doesn't close its side when the server has closed the other. */
async function halfOpen(): Promise<Socket> {
  const socket = connect({ port: node.ready.port, host: '127.0.0.1', allowHalfOpen: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket.on('error', () => undefined);
}

/** Of this process: both ends of a connection to a server in it. */
const connections = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('a refused upgrade', () => {
  it.each([
    ['to a path without WebSockets', upgradeTo('/nowhere')],
    ['without what a WebSocket needs', upgradeTo('/ws').replace(/sec-websocket-key: .*\r\n/, '')],
  ])('%s leaves no connection behind when the client goes on sending', async (_what, request) => {
    const before = connections();
    const socket = await halfOpen();
    socket.write(request);
    await new Promise((resolve) => socket.once('end', resolve).resume());
    // One more byte, and the end: where nobody reads, the byte stands before the end for good.
    socket.end('x');
    await expect.poll(connections, { timeout: 3_000 }).toBeLessThanOrEqual(before);
    socket.destroy();
  });

  it('leaves no connection behind when the client never closes', async () => {
    const socket = await halfOpen();
    const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
    socket.resume().write(upgradeTo('/nowhere'));
    await new Promise((resolve) => socket.once('end', resolve));
    // What comes to a connection that is no more is answered with a reset.
    const writing = setInterval(() => socket.write('x'), 50);
    const late = new Promise((resolve) => setTimeout(() => resolve('still open'), 3_000));
    expect(await Promise.race([closed, late])).toBe(true);
    clearInterval(writing);
  });

  it('leaves no connection behind when the client never reads', async () => {
    const before = connections();
    const socket = await halfOpen();
    socket.pause();
    // So many answers that the refusal after them can't go out.
    socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(150) + upgradeTo('/nowhere'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect.poll(connections, { timeout: 6_000 }).toBeLessThanOrEqual(before + 1);
    socket.destroy();
  });
});

/** A frame of a client, under a mask of zeros. */
function ping(data: string): Buffer {
  return Buffer.concat([Buffer.from([0x89, 0x80 | data.length, 0, 0, 0, 0]), Buffer.from(data)]);
}

describe('pings of the protocol', () => {
  it('are answered with what they hold', async () => {
    using client = await connectRaw(node.ready.port);
    await client.write(upgradeTo('/ws'));
    await client.waitFor('\r\n\r\n');
    await client.write(ping('are you there?'));
    await client.waitFor('are you there?');
    expect(client.received.slice(-16)).toBe('\u008a\u000eare you there?');
  });

  it('without end are not answered, signed in or not: the connection is cut', async () => {
    const started = performance.now();
    using client = await connectRaw(node.ready.port);
    await client.write(upgradeTo('/ws'));
    await client.waitFor('\r\n\r\n');
    const flood = ping('x'.repeat(125))
      .toString('latin1')
      .repeat(limits.controlFrames * 2);
    await client.write(Buffer.from(flood, 'latin1'));
    await client.closed;
    // Who says nothing is told so after five seconds.
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(client.received.split('x'.repeat(125)).length - 1).toBeLessThanOrEqual(limits.controlFrames);
  });
});
