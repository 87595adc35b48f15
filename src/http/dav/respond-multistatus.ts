import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { respondDownload } from '../download.ts';
import type { DavRequest } from './request.ts';
import { notThere, targetOf, type Target } from './targets.ts';
import { documentOf } from './xml/write.ts';

/** Characters that are sent together: most answers are one piece. */
const TOGETHER = 32 * 1024;
/** What takes longer is for somebody who still may have it, milliseconds: a client may read as slowly as its pace allows. */
const RECHECK = 5_000;

/**
 * Sends a multistatus (RFC 4918 13) while it is made, no faster than the client reads it. What is refused before its first part is answered
 * as a refusal; when the app password or the share ends meanwhile, or becomes another one, the answer is broken off.
 * @param target what the parts are of, as it was found
 */
export async function respondMultistatus(
  asked: DavRequest,
  target: Target,
  parts: AsyncIterable<string>,
): Promise<Response> {
  const { ctx, actor, request, held, pace, sent } = asked;
  const { begin, end } = documentOf('d:multistatus');
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let text = begin;
    let checked = ctx.clock.now();
    for await (const part of parts) {
      text += part;
      if (text.length < TOGETHER) continue;
      yield Buffer.from(text);
      text = '';
      // Some lists have 100,000 resources, and a client that reads as fast as they are written leaves no turn to others.
      await nextTurn();
      if (ctx.clock.now() - checked < RECHECK) continue;
      await assertStillSignedIn(ctx, actor);
      const now = await targetOf(asked);
      // Whoever may do less sees less of the rest, too.
      if (now.kind === 'free' || accessTo(now) !== accessTo(target)) throw notThere();
      checked = ctx.clock.now();
    }
    yield Buffer.from(text + end);
  }
  const failed = (error: unknown): void =>
    ctx.log.error('an answer was aborted', { requestId: sent['x-request-id'], operation: 'dav', error });
  const content = { flow: pieces };
  const download = { type: 'application/xml; charset=utf-8', content };
  return await respondDownload(request, { status: 207 }, download, { held, pace, failed }, sent);
}

function accessTo(target: Target): string | undefined {
  return 'collection' in target ? target.collection.access : undefined;
}
