import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { createMailroom } from '../../../src/platform/network/outbox/mailroom.ts';
import { createMetrics } from '../../../src/node/listeners/metrics.ts';
import { outboxMeasures } from '../../../src/node/listeners/outbox-measures.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('metrics of messages between nodes on %s', (engine) => {
  it('tell for each channel what waits, since when, and what became of the others', async () => {
    await using house = await openHouse(engine);
    const mailroom = createMailroom();
    const { network } = house.ctx.config;
    const ctx = { ...house.ctx, config: { ...house.ctx.config, network: { ...network, enabled: true } } };
    const send = async (channel: string, id: string) =>
      await transaction(ctx, async (tx) => {
        const expiresAt = house.clock.now() + 60_000;
        await mailroom.port.send(tx, '1'.repeat(40), channel, { id, body: 1, expiresAt });
      });
    await send('mail', 'm1');
    house.clock.advance(5_000);
    await send('mail', 'm2');
    await send('files', 'f1');
    house.clock.advance(2_500);
    mailroom.sent.add('mail', 'refused');
    mailroom.received.add('files', 'acknowledged');
    mailroom.received.add('files', 'acknowledged');
    const { text } = await createMetrics(outboxMeasures(mailroom, house.ctx)).render();
    expect(text.split('\n').filter((line) => /^conclave_(?:in|out)box/.test(line))).toEqual([
      'conclave_outbox_waiting{channel="files"} 1',
      'conclave_outbox_waiting{channel="mail"} 2',
      'conclave_outbox_oldest_seconds{channel="files"} 2.5',
      'conclave_outbox_oldest_seconds{channel="mail"} 7.5',
      'conclave_inbox_acknowledged_total{channel="files"} 2',
      'conclave_outbox_refused_total{channel="mail"} 1',
    ]);
  });
});
