import { execa } from 'execa';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { reservePort } from './reserved-ports.ts';

describe('reserved ports', () => {
  it('are each given once, and can be listened on more than once', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, reservePort));
    expect(new Set(ports).size).toBe(20);
    for (let time = 0; time < 2; time += 1) {
      const server = createServer().listen(ports[0], '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    }
  });

  it('do not keep their process from ending', async () => {
    const program = `import { reservePort } from ${JSON.stringify(new URL('reserved-ports.ts', import.meta.url).href)};
      console.log(await reservePort());`;
    const { stdout } = await execa(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    expect(Number(stdout)).toBeGreaterThanOrEqual(20_000);
  });
});
