import { execaNode } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { readyOf } from '../e2e/server-ready.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { startNode } from '../support/running-node.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { temporaryFolder } from '../support/stores.ts';

/** Larger than whatever may be sent, and never sent to its end. */
const size = 500_000_000;

interface Early {
  readonly status: number;
  readonly line: string;
  readonly type?: string;
  readonly signedIn?: boolean;
  readonly length?: number;
}

/** Answers that come before the body was read. */
const answers: readonly Early[] = [
  { status: 401, line: 'POST /api/emails' },
  { status: 403, line: 'POST /api/admin/members/ada/promote', signedIn: true },
  { status: 404, line: 'POST /api/nowhere' },
  { status: 405, line: 'POST /api/admin/members' },
  { status: 413, line: 'POST /api/user/login' },
  { status: 413, line: 'POST /api/emails', signedIn: true },
  { status: 413, line: 'POST /api/social/media', signedIn: true, type: 'image/png' },
  { status: 415, line: 'POST /api/social/media', signedIn: true, type: 'text/plain', length: 1_000_000 },
  // The sign-ins above have used up what there is.
  { status: 429, line: 'POST /api/user/login' },
];

let program: string;
beforeAll(async () => void (program = await sharedBundle('test/support/serve-process.ts')));

function headOf({ line, type = 'application/json', signedIn }: Early, token: string, length: string): string {
  const who = signedIn === true ? `authorization: Bearer ${token}\r\n` : '';
  return `${line} HTTP/1.1\r\nhost: x\r\n${who}content-type: ${type}\r\n${length}\r\n\r\n`;
}

/** Sends until the connection is over, as a client that doesn't look at answers. */
function sendOn({ socket }: RawClient, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
    socket.once('drain', more);
  };
  more();
}

describe('a server that refused a request before its body was read', () => {
  it('ends when it is asked to, whether the body goes on, stands still or comes in chunks', async () => {
    await using folder = await temporaryFolder();
    const token = await memberOf(folder.path);
    const env = {
      CONCLAVE_DATA_DIR: folder.path,
      CONCLAVE_PORT: '0',
      // What waits for one of these waits for longer than the test.
      CONCLAVE_SERVER_REQUEST_TIMEOUT: '1d',
      CONCLAVE_SERVER_BODY_GRACE: '1h',
      CONCLAVE_SERVER_KEEP_ALIVE: '1h',
      CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '3/15m',
    };
    const child = execaNode(program, { nodeOptions: [], env, reject: false });
    try {
      const { port } = await readyOf(child);
      const clients: RawClient[] = [];
      for (const early of answers) {
        for (const way of ['goes on', 'stands still', 'chunks'] as const) {
          // A body without a length is read up to what it must not exceed, and that one is no picture.
          if (way === 'chunks' && early.type === 'image/png') continue;
          const client = await connectRaw(port);
          clients.push(client);
          const length = way === 'chunks' ? 'transfer-encoding: chunked' : `content-length: ${early.length ?? size}`;
          await client.write(headOf(early, token, length));
          // The type of a picture is told by how it begins.
          if (way === 'stands still') await client.write(' '.repeat(100));
          if (way === 'goes on') sendOn(client, ' '.repeat(65_536));
          if (way === 'chunks') sendOn(client, `10000\r\n${' '.repeat(65_536)}\r\n`);
          await client.waitFor(`HTTP/1.1 ${early.status} `);
        }
      }
      child.kill('SIGTERM');
      expect(await child).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('MaxListeners') });
      for (const { socket } of clients) socket.destroy();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('keeps nothing of it on a connection that goes on', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    try {
      await using node = await startNode();
      using client = await connectRaw(node.ready.port);
      const body = '{"username":"nobody"}';
      for (let round = 1; round <= 30; round += 1) {
        await client.write(
          `POST /api/nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
        );
        await expect.poll(() => client.received.split('HTTP/1.1 404 ').length - 1).toBe(round);
        await client.write(body.slice(5));
        await client.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
        await expect.poll(() => client.received.split('HTTP/1.1 200 ').length - 1).toBe(round);
      }
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });
});

/** Makes a store with a member. @returns a token */
async function memberOf(dataDir: string): Promise<string> {
  await using node = await startNode({ dataDir });
  const member = { username: 'ada', email: 'ada@example.org', password: 'Enough-for-a-test-1' };
  const headers = { 'content-type': 'application/json' };
  const reply = await node.fetch('/api/user/register', { method: 'POST', headers, body: JSON.stringify(member) });
  const { data } = (await reply.json()) as { data: { token: string } };
  return data.token;
}
