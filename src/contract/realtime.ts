import * as v from 'valibot';
import { operation } from './operation.ts';
import { socketLimits } from './realtime/limits.ts';
import { timestamp } from './text.ts';

/** HTTP operations that sockets need. */
export const realtime = {
  createTicket: operation({
    id: 'realtime.create-ticket',
    method: 'POST',
    path: '/api/realtime/ticket',
    envelope: 'system',
    auth: 'member',
    summary: 'Get a ticket to sign in one socket',
    description:
      `For browsers, which can't set headers on sockets: connect to \`/ws?ticket=…\` within ${socketLimits.ticketSeconds} seconds. It works once, for the ` +
      'session of this token. A URL must not contain the token itself.',
    input: v.object({}),
    reply: v.object({ ticket: v.pipe(v.string(), v.metadata({ secret: true })), expiresAt: timestamp }),
    status: 200,
    message: 'Ticket',
    secretReply: true,
    errors: [],
  }),
};
