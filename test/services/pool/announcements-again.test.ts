import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';
import { openAnnouncements } from '../../../src/platform/network/announcements.ts';
import { sealableItem, sealEnvelope } from '../../../src/platform/network/envelope.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import { createGossipMetrics } from '../../../src/platform/network/metrics.ts';
import { createSwitchboard } from '../../../src/platform/network/switchboard.ts';
import { openTopics } from '../../../src/platform/network/topics.ts';
import { joinNetwork } from '../../../src/services/pool/network.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const POOL = 'ab'.repeat(32);

describe.each(engines)('announcements for the pool on %s', (engine) => {
  it('come again when this node could not handle them, and not when they are refused', async () => {
    const { port, registrations } = createSwitchboard();
    await using house = await openHouse(engine, { context: { gossip: port } });
    joinNetwork(house.ctx);
    const metrics = createGossipMetrics();
    const policy = { isAdmitted: async () => true, members: async () => [] };
    const announcements = await openAnnouncements(house.ctx, defaultLimits, {
      admission: rememberAdmission(policy, house.clock),
      metrics,
      topics: openTopics(registrations.topics, defaultLimits),
      publish: () => undefined,
    });
    const payloads = { pool_acl_updated: { poolId: POOL, version: 2, hash: POOL }, pool_join_denied: { denial: 'x' } };
    const items = Object.entries(payloads).map(([type, payload]) => sealableItem(type, payload));
    const envelope = sealEnvelope(generateKeyPair(), {
      items,
      timestamp: house.clock.now(),
      nonce: new Uint8Array(16),
    });
    const checked = await announcements.check(envelope.bytes, 'gossip');
    if (typeof checked === 'string') throw new Error(checked);
    expect(checked.announcements).toHaveLength(2);

    const unhandled = async () => await house.ctx.db.selectFrom('gossip_unhandled').select('attempts').execute();
    await sql`alter table pool_state rename to pool_state_away`.execute(house.ctx.db);
    await announcements.accept(checked);
    await announcements.idle();
    expect(metrics.read('handling_failed')).toBe(2);
    expect(await unhandled()).toEqual([{ attempts: 1 }]);

    await sql`alter table pool_state_away rename to pool_state`.execute(house.ctx.db);
    house.clock.advance(5_000);
    await announcements.handOutAgain();
    await announcements.idle();
    expect(metrics.read('handling_failed')).toBe(2);
    expect(await unhandled()).toEqual([]);
    expect(house.log.lines.filter(({ message }) => message.startsWith('denial refused'))).toHaveLength(1);
  });
});
