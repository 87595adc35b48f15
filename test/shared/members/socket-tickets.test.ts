import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realtime } from '../../../src/contract/realtime.ts';
import { purgeTickets, redeemTicket } from '../../../src/shared/members/socket-tickets.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('tickets for sockets on %s', (engine) => {
  let house: House;
  beforeEach(async () => {
    house = await openHouse(engine);
  });
  afterEach(async () => {
    await house[Symbol.asyncDispose]();
  });

  const ticketOf = async (token: string): Promise<string> =>
    (await house.perform(realtime.createTicket, {}, token)).body.ticket as string;
  const refused = { code: 'UNAUTHORIZED' };

  it('are good once, for the session that asked', async () => {
    const ann = await house.register();
    const answer = await house.perform(realtime.createTicket, {}, ann.token);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: '2026-01-15T12:00:30.000Z',
    });
    const { ticket } = answer.body as { ticket: string };
    const kept = await house.ctx.db.selectFrom('socket_tickets').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain(ticket);
    const sessions = await house.ctx.db.selectFrom('sessions').select('id').execute();
    const signedIn = await redeemTicket(house.ctx, ticket);
    expect(signedIn).toEqual({
      memberId: ann.memberId,
      username: ann.username,
      type: 'User',
      sessionId: sessions[0]!.id,
    });
    await expect(redeemTicket(house.ctx, ticket)).rejects.toMatchObject(refused);
  });

  it('are good for one of many who bring the same at once', async () => {
    const ticket = await ticketOf((await house.register()).token);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => redeemTicket(house.ctx, ticket)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are good for thirty seconds, and then purged', async () => {
    const { token } = await house.register();
    const [early, late, purged] = [await ticketOf(token), await ticketOf(token), await ticketOf(token)];
    house.clock.advance(29_999);
    await expect(redeemTicket(house.ctx, early)).resolves.toBeDefined();
    house.clock.advance(1);
    await expect(redeemTicket(house.ctx, late)).rejects.toMatchObject(refused);
    await purgeTickets(house.ctx);
    expect(await house.ctx.db.selectFrom('socket_tickets').selectAll().execute()).toEqual([]);
    await expect(redeemTicket(house.ctx, purged)).rejects.toMatchObject(refused);
  });

  it('end with their session, and with the member', async () => {
    const [ann, bob] = [await house.register(), await house.register()];
    const [annTicket, bobTicket] = [await ticketOf(ann.token), await ticketOf(bob.token)];
    expect((await house.api('POST', '/api/user/logout', { token: ann.token, body: {} })).status).toBe(200);
    await expect(redeemTicket(house.ctx, annTicket)).rejects.toMatchObject(refused);
    await house.ctx.db.updateTable('members').set({ status: 'suspended' }).where('id', '=', bob.memberId).execute();
    await expect(redeemTicket(house.ctx, bobTicket)).rejects.toMatchObject(refused);
  });

  it('end with a session that expires in those thirty seconds', async () => {
    const { token } = await house.register();
    house.clock.advance(house.ctx.config.sessions.lifetimeMs - 10_000);
    const [before, after] = [await ticketOf(token), await ticketOf(token)];
    house.clock.advance(9_999);
    await expect(redeemTicket(house.ctx, before)).resolves.toBeDefined();
    house.clock.advance(1);
    await expect(redeemTicket(house.ctx, after)).rejects.toMatchObject(refused);
  });

  it('are given to members alone, and not to a session that ended meanwhile', async () => {
    expect((await house.api('POST', '/api/realtime/ticket', { body: {} })).status).toBe(401);
    const operator = { token: await house.operatorToken(), trusted: true, body: {} };
    expect(await house.api('POST', '/api/realtime/ticket', operator)).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN' },
    });
    const { token } = await house.register();
    house.meanwhile(() => house.ctx.db.deleteFrom('sessions').execute());
    expect(await house.api('POST', '/api/realtime/ticket', { token, body: {} })).toMatchObject({
      status: 401,
      body: { error: 'UNAUTHORIZED' },
    });
  });

  it.each(['', 'x', '../..', 'a'.repeat(43), 'a'.repeat(10_000)])('that are made up are nobody’s', async (ticket) => {
    await expect(redeemTicket(house.ctx, ticket)).rejects.toMatchObject(refused);
  });
});
