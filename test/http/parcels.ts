import type { Implementation } from '../../src/service/implement.ts';
import * as v from 'valibot';
import { announceBlock, keepBlocks, withdrawBlocks } from '../../src/shared/attachments/blocks.ts';
import { transaction } from '../../src/service/context.ts';
import { operation, uploadOperation } from '../../src/contract/operation.ts';
import { line, secretText } from '../../src/contract/text.ts';
import { Problem } from '../../src/base/problem.ts';
import { earlierReply, once } from '../../src/service/repeats.ts';
import { service } from '../../src/service/service-parts.ts';
import { buildDoor } from './serve-doors.ts';

const common = { envelope: 'social', auth: 'member', message: 'Done', errors: ['NOT_FOUND'] } as const;

/** A service that doesn't exist: parcels are uploads, and what opens one comes in a header. */
export const parcels = {
  send: uploadOperation({
    ...common,
    id: 'parcel.send',
    method: 'POST',
    path: '/api/social/parcels/:street',
    summary: 'Send a parcel',
    input: v.object({ street: line(20) }),
    reply: v.object({ number: v.number(), size: v.number() }),
    status: 201,
    accepts: ['application/octet-stream', 'image/png'],
    digest: true,
  }),
  open: operation({
    ...common,
    id: 'parcel.open',
    method: 'POST',
    path: '/api/social/parcels/:street/opening',
    summary: 'Open a parcel',
    input: v.object({
      street: line(20),
      knife: v.optional(line(20)),
      password: v.pipe(secretText(20), v.description('of the parcel'), v.metadata({ header: 'X-Parcel-Password' })),
      layer: v.optional(v.pipe(v.string(), v.regex(/^\d$/, 'must be a digit'), v.metadata({ header: 'X-Layer' }))),
    }),
    reply: v.object({ given: v.record(v.string(), v.string()) }),
    status: 200,
  }),
};

export interface Post {
  /** who may send where */
  readonly closed: Set<string>;
  /** bytes that the service was given */
  read: number;
  early: boolean;
}

export function parcelService(post: Post) {
  const implementation: Implementation<typeof parcels> = {
    async send(ctx, actor, { street }, { body }) {
      const check = (): void => {
        if (post.closed.has(street)) throw new Problem('missing', 'NOT_FOUND', 'There is no such street.');
      };
      check();
      const before = await earlierReply(ctx);
      if (before !== undefined) return before.reply as { number: number; size: number };
      const kind = `parcels of ${actor.memberId}`;
      if (post.early)
        return await transaction(
          ctx,
          async (tx) => await once(tx, async () => ({ number: await buildDoor(tx, kind, street), size: 0 })),
        );
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const piece of body) {
          post.read += piece.length;
          yield piece;
        }
      }
      const block = await ctx.blocks.put(counted(), async (id) => await announceBlock(ctx, id));
      try {
        return await transaction(ctx, async (tx) => {
          check();
          return await once(tx, async () => {
            await keepBlocks(tx, [block.id]);
            return { number: await buildDoor(tx, kind, street), size: block.size };
          });
        });
      } catch (error) {
        await withdrawBlocks(ctx, [block.id]);
        throw error;
      }
    },
    open: async (_ctx, _actor, input) => ({ given: JSON.parse(JSON.stringify(input)) as Record<string, string> }),
  };
  const about = { name: 'parcels', title: 'Parcels', text: 'Parcels of a member.' };
  return service({ ...about, contract: parcels }, { implementation });
}
