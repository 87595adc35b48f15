import { FastResponse } from 'srvx';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { DavContent } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { respondEmpty } from '../answers.ts';
import { conditionsOf } from '../conditions.ts';
import { typeOf } from '../properties/resource.ts';
import { bodyOf, type DavRequest } from '../request.ts';
import { notThere, targetOf, type ResourceTarget, type Target } from '../targets.ts';

/** An event or a contact as it is; also for HEAD. */
export async function get(request: DavRequest): Promise<Response> {
  const target = await resourceTarget(request);
  const [content] = await target.space.read(request.ctx, request.actor, target.collection, [target.name]);
  if (content === undefined) throw notThere();
  if ('damaged' in content) {
    const message = 'It does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message);
  }
  const headers: Record<string, string> = {
    ...request.sent,
    ...tagsOf(content),
    'content-type': typeOf(target.space.type, content.component),
    'last-modified': new Date(content.modifiedAt ?? 0).toUTCString(),
    // A browser that comes here shows nothing that a stranger wrote.
    'content-disposition': 'attachment',
  };
  const none = conditionsOf(request.request.headers).ifNoneMatch;
  if (none === '*' || none?.includes(content.etag) === true) return respondEmpty(304, headers);
  const bytes = Buffer.from(content.text);
  headers['content-length'] = String(bytes.length);
  const isHead = request.request.method === 'HEAD';
  return new FastResponse(isHead ? null : bytes, { status: 200, headers });
}

function tagsOf({ etag, scheduleTag }: Partial<Pick<DavContent, 'etag' | 'scheduleTag'>>): Record<string, string> {
  return {
    ...(etag !== undefined && { etag: `"${etag}"` }),
    ...(scheduleTag !== undefined && { 'schedule-tag': `"${scheduleTag}"` }),
  };
}

export async function put(request: DavRequest): Promise<Response> {
  const { ctx, actor, sent } = request;
  const { space, collection, name } = await resourceTarget(request);
  let bytes: Uint8Array;
  try {
    bytes = await bodyOf(request, space.mostBytes);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
    const precondition = space.kind === 'calendar' ? 'c:max-resource-size' : 'card:max-resource-size';
    throw davRefusal('tooLarge', 'PAYLOAD_TOO_LARGE', precondition, error.message);
  }
  const given = { bytes, conditions: conditionsOf(request.request.headers) };
  const { created, ...tags } = await space.write(ctx, actor, collection, name, given);
  return respondEmpty(created ? 201 : 204, { ...sent, ...tagsOf(tags) });
}

export async function remove(request: DavRequest): Promise<Response> {
  const {
    ctx,
    actor,
    request: { headers },
  } = request;
  const target = await targetOf(request);
  if (target.kind === 'collection') await target.space.remove(ctx, actor, target.collection);
  else {
    const { space, collection, name } = demandResource(target);
    // RFC 6638 8.1
    const scheduleReply = headers.get('schedule-reply')?.trim().toUpperCase() !== 'F';
    await space.erase(ctx, actor, collection, name, { conditions: conditionsOf(headers), scheduleReply });
  }
  return respondEmpty(204, request.sent);
}

async function resourceTarget(request: DavRequest): Promise<ResourceTarget> {
  return demandResource(await targetOf(request));
}

/** @throws Problem missing NOT_FOUND; invalid METHOD_NOT_ALLOWED */
function demandResource(target: Target): ResourceTarget {
  if (target.kind === 'resource') return target;
  if (target.kind === 'free') throw notThere();
  throw new Problem('invalid', 'METHOD_NOT_ALLOWED', 'A collection does not support this method.');
}
