import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { program } from '../support/program.ts';

it('what was built serves the guides that lie beside it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'conclave-guides-'));
  try {
    const env = { HOME: home, CONCLAVE_DATA_DIR: join(home, 'data'), CONCLAVE_LOG_LEVEL: 'error' };
    await execa(...program('init', '--generate-password'), { env, stdin: 'ignore' });
    const server = execa(...program('serve', '--port', '0', '--json'), { env, buffer: false });
    const [first] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
    const [url] = (JSON.parse(first) as { urls: string[] }).urls;
    const page = await fetch(`${url}/docs/guides/passwords`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<h1 id="passwords">Passwords</h1>'),
    ]);
    const commands = await (await fetch(`${url}/docs/guides/commands`)).text();
    expect(commands).toContain('<h2 id="conclave-vault-get">');
    expect(await (await fetch(`${url}/docs/guides/cli`)).text()).toContain('href="/docs/guides/commands"');
    server.kill('SIGTERM');
    await server;
  } finally {
    await rm(home, { recursive: true });
  }
});
