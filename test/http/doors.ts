import * as v from 'valibot';
import { operation, rawOperation } from '../../src/contract/operation.ts';
import { actorField, line, memberId, secretText } from '../../src/contract/text.ts';

const common = { surface: 'social', status: 200, errors: [] } as const;
const door = v.object({ door: line(20), authorId: actorField });

/** A service that doesn't exist, with one operation of each kind. */
export const doors = {
  show: operation({
    ...common,
    id: 'door.show',
    method: 'GET',
    path: '/api/social/doors/:door',
    auth: 'optional',
    summary: 'Show a door',
    input: door,
    reply: v.object({ door: v.string(), seenBy: v.string() }),
    message: 'A door',
  }),
  create: operation({
    ...common,
    id: 'door.create',
    method: 'POST',
    path: '/api/social/doors',
    auth: 'member',
    summary: 'Build a door',
    input: v.object({ door: line(20), key: v.optional(secretText(40)), authorId: actorField }),
    reply: v.object({ number: v.number(), key: v.string() }),
    message: 'Built',
    status: 201,
    headers: (reply) => ({ 'x-door': String(reply.number) }),
  }),
  forge: operation({
    ...common,
    id: 'door.forge',
    method: 'POST',
    path: '/api/social/doors/:door/key',
    auth: 'member',
    summary: 'Forge a key, shown once',
    input: v.object({ door: line(20) }),
    reply: v.object({ key: v.string() }),
    message: 'Forged',
    status: 201,
    secretReply: true,
  }),
  remove: operation({
    ...common,
    id: 'door.remove',
    method: 'DELETE',
    path: '/api/social/doors/:door',
    auth: { any: ['Admin', 'System'] },
    summary: 'Take a door away',
    input: v.object({ door: line(20) }),
    reply: v.object({}),
    message: 'Gone',
    status: 204,
  }),
  lock: operation({
    ...common,
    id: 'door.lock',
    method: 'POST',
    path: '/api/social/doors/:door/lock',
    auth: { all: ['admin', 'system'] },
    localOnly: true,
    summary: 'Lock a door for everybody',
    input: v.object({ door: line(20), keeper: v.optional(memberId) }),
    reply: v.object({}),
    message: 'Locked',
  }),
  paint: rawOperation({
    ...common,
    id: 'door.paint',
    method: 'PUT',
    path: '/api/social/doors/:door/pictures/*place',
    auth: 'member',
    summary: 'Paint a door',
    input: v.object({ door: line(20), place: line(200), thick: v.optional(line(3)) }),
    accepts: ['image/png'],
    produces: ['image/png'],
  }),
};
