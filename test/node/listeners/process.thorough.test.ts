import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { execaNode, type ResultPromise } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Ready } from '../../../src/node/listeners/serve.ts';
import { acquireLock } from '../../../src/platform/store/lock.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { startNode } from '../../support/running-node.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { staysSo } from '../../support/real-time.ts';

let program: string;
beforeAll(async () => void (program = await sharedBundle('test/support/serve-process.ts')));

interface Running extends AsyncDisposable {
  readonly child: ResultPromise<{ reject: false }>;
  readonly ready: Ready;
}

function spawnServer(dataDir: string): Running['child'] {
  const env = { CONCLAVE_DATA_DIR: dataDir, CONCLAVE_PORT: '0', CONCLAVE_LOG_LEVEL: 'debug' };
  return execaNode(program, { nodeOptions: [], env, reject: false }) as Running['child'];
}

async function start(dataDir: string, child = spawnServer(dataDir)): Promise<Running> {
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    child,
    ready: JSON.parse(String(first)) as Running['ready'],
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child;
    },
  };
}

const head =
  'POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n';

describe('a server process', () => {
  it('keeps its folder and port to itself, leaves both when it is killed, and stops cleanly when it is asked to', async () => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    await using killed = await start(folder.path);
    const second = startNode({ dataDir: folder.path });
    await expect(second).rejects.toMatchObject({
      code: 'STORE_IN_USE',
      message: expect.stringContaining(`process ${killed.child.pid}`),
    });
    killed.child.kill('SIGKILL');
    await killed.child;

    await using next = await start(folder.path);
    const { child, ready } = next;
    await expect(startNode({ config: { port: ready.port } })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    child.kill('SIGUSR1');
    expect((await fetch(`${ready.url}/health`)).status).toBe(200);
    child.kill('SIGTERM');
    const { exitCode, stderr } = await child;
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/debugger|inspector/i);
    const messages = stderr.split('\n').map((line) => (JSON.parse(line) as { message: string }).message);
    expect(messages).toEqual(expect.arrayContaining(['listening', 'stopping', 'stopped']));
    await expect(stat(ready.controlSocket!)).rejects.toThrow('ENOENT');
  });

  it('waits for a command that has the store, and says so', { tags: 'soak' }, async () => {
    await using folder = await temporaryFolder();
    const command = await acquireLock(folder.path, 'conclave init');
    const child = spawnServer(folder.path);
    const starting = start(folder.path, child);
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    expect(JSON.parse(line)).toMatchObject({
      message: 'the store is in use; the server waits a few seconds for it',
      by: 'conclave init',
      pid: process.pid,
    });
    await command[Symbol.asyncDispose]();
    await using running = await starting;
    expect((await fetch(`${running.ready.url}/health`)).status).toBe(200);
  });

  it('finishes what runs at the first Ctrl-C, and ends at once at the second', async () => {
    await using folder = await temporaryFolder();
    await putMigratedStore(folder.path);
    await using running = await start(folder.path);
    const { child, ready } = running;
    using stuck = await connectRaw(ready.port);
    await stuck.write(head);
    await stuck.waitFor('100 Continue');
    child.kill('SIGINT');
    const answers = () =>
      fetch(ready.url).then(
        () => true,
        () => false,
      );
    await expect.poll(answers).toBe(false);
    await staysSo(() => expect(child.exitCode).toBeNull(), 150);
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(130);
  });
});
