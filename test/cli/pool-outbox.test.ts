import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Outbox from '../../commands/pool/outbox.ts';
import { loadConfig } from '../../src/config/load.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { openEngine } from '../../src/node/engine.ts';
import { noteFailure } from '../../src/platform/network/outbox/outbox-rows.ts';
import { silentLog } from '../../src/base/log.ts';
import { openHome, type Home } from './home.ts';

const nodeId = '42877851a26ca81c5c6ef242ce31fddc7467e67a';

async function inEngine(home: Home, body: (ctx: Context) => Promise<void>): Promise<void> {
  const { config, secrets } = await loadConfig({
    flags: {},
    env: { CONCLAVE_DATA_DIR: home.dataDir, HOME: home.folder, CONCLAVE_NETWORK_ENABLED: 'on' },
  });
  await using engine = await openEngine(config, secrets, { log: silentLog });
  await body(engine.context);
}

describe('conclave pool outbox', () => {
  let home: Home;
  beforeAll(async () => void (home = await openHome('process')));
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('says when nothing waits', async () => {
    const run = await home.run(Outbox, []);
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: 'No message waits for another node.\n' });
  });

  it('shows what waits and why on 80 columns, and everything as JSON', async () => {
    await inEngine(home, async (ctx) => {
      await transaction(ctx, async (tx) => {
        for (const channel of ['mail', 'a-channel-with-a-very-long-name', 'new'])
          await tx.gossip.send(tx, nodeId, channel, { id: `m-${channel}`, body: 'x', expiresAt: Date.now() + 60_000 });
      });
      const failure = { node_id: nodeId, attempts: 3, next_at: Date.now() + 600_000 };
      await noteFailure(ctx.store, { ...failure, channel: 'mail', code: 'PEER_UNREACHABLE', reason: 'No answer.' });
      const long = {
        channel: 'a-channel-with-a-very-long-name',
        code: 'ODD',
        reason: `\u001b[2J${'why '.repeat(100)}`,
      };
      await noteFailure(ctx.store, { ...failure, ...long });
    });
    const drawn = await home.run(Outbox, [], { person: [] });
    expect(drawn.code).toBe(0);
    const lines = drawn.stdout.split('\n');
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(80);
      expect(line).not.toContain('\u001b[2J');
    }
    expect(lines[0]).toMatch(/^NODE +CHANNEL +NEXT TRY +WHY$/);
    expect(drawn.stdout).toMatch(/42877851a26c {2}mail .* unreachable/);
    expect(drawn.stdout).toMatch(/42877851a26c {2}new .* not tried yet/);
    const run = await home.run(Outbox, ['--json']);
    expect(JSON.parse(run.stdout)).toMatchObject({
      count: 3,
      bytes: 9,
      hasMore: false,
      messages: [
        { nodeId, channel: 'mail', id: 'm-mail', attempts: 3, failure: 'PEER_UNREACHABLE', reason: 'No answer.' },
        { id: 'm-a-channel-with-a-very-long-name', failure: 'ODD' },
        { id: 'm-new', attempts: 0, connected: false },
      ],
    });
    const one = await home.run(Outbox, ['--limit', '1']);
    expect(one.stderr).toBe('3 waiting, 9 bytes. There are more. Use --limit or --all.\n');
    expect(one.stdout.split('\n').filter(Boolean)).toHaveLength(1);
  });
});
