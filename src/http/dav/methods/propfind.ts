import { davRefusal } from '../../../service/dav-matching.ts';
import { depthOf, isBrief } from '../conditions.ts';
import { responseOf, type Wanted } from '../multistatus.ts';
import { needContent } from '../properties/resource.ts';
import { xmlOf, type DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { notThere, targetOf, type CollectionTarget, type ResourceTarget, type Target } from '../targets.ts';
import { childOf, unreadable, type XmlElement } from '../xml/read.ts';

/** Resources whose contents are in memory together. */
const TOGETHER = 20;

/** Properties of a resource, and of what lies in it (RFC 4918 9.1). */
export async function propfind(request: DavRequest): Promise<Response> {
  const depth = depthOf(request.request.headers);
  if (depth === undefined) {
    const message = 'Ask with Depth: 0 or Depth: 1.';
    throw davRefusal('forbidden', 'FORBIDDEN', 'd:propfind-finite-depth', message);
  }
  const wanted = wantedOf(await xmlOf(request), request);
  const target = await withResource(request, await targetOf(request));
  return await respondMultistatus(request, target, responses(request, target, wanted, depth));
}

function wantedOf(body: XmlElement | undefined, request: DavRequest): Wanted {
  const brief = isBrief(request.request.headers);
  if (body === undefined) return { names: 'all', namesOnly: false, brief };
  if (body.name !== 'd:propfind') throw unreadable('The body must be a propfind.');
  if (childOf(body, 'd:propname') !== undefined) return { names: 'all', namesOnly: true, brief };
  return wantedIn(body, brief);
}

/** What a body with `prop` or `allprop` asks for. */
export function wantedIn(body: XmlElement, brief: boolean): Wanted {
  const prop = childOf(body, 'd:prop');
  if (prop === undefined) return { names: 'all', namesOnly: false, brief };
  const names = [...new Set(prop.children.map(({ name }) => name))];
  return { names, namesOnly: false, brief };
}

/** @throws Problem missing NOT_FOUND for a resource that is not there */
async function withResource(request: DavRequest, target: Target): Promise<Target> {
  if (target.kind === 'free') throw notThere();
  if (target.kind !== 'resource') return target;
  const { ctx, actor } = request;
  const [resource] = await target.space.read(ctx, actor, target.collection, [target.name]);
  if (resource === undefined) throw notThere();
  return { ...target, resource };
}

async function* responses(request: DavRequest, target: Target, wanted: Wanted, depth: 0 | 1): AsyncGenerator<string> {
  yield await responseOf(request, target, wanted);
  if (depth === 1)
    for await (const child of childrenOf(request, target, wanted)) yield await responseOf(request, child, wanted);
}

async function* childrenOf(request: DavRequest, target: Target, wanted: Wanted): AsyncGenerator<Target> {
  const { ctx, actor, spaces } = request;
  if (target.kind === 'root') {
    yield { kind: 'principal' };
    for (const space of spaces) yield { kind: 'home', space };
  } else if (target.kind === 'principals') yield { kind: 'principal' };
  else if (target.kind === 'home') {
    const { space } = target;
    for (const collection of await space.collections(ctx, actor)) yield { kind: 'collection', space, collection };
    if (space.kind === 'calendar') {
      yield { kind: 'inbox', space };
      yield { kind: 'outbox', space };
    }
  } else if (target.kind === 'collection') yield* resourcesIn(request, target, wanted);
}

async function* resourcesIn(
  request: DavRequest,
  { space, collection }: CollectionTarget,
  { names }: Wanted,
): AsyncGenerator<ResourceTarget> {
  const { ctx, actor } = request;
  const withContent = names !== 'all' && needContent(names);
  for await (const some of space.list(ctx, actor, collection)) {
    if (!withContent) {
      for (const resource of some) yield { kind: 'resource', space, collection, name: resource.name, resource };
      continue;
    }
    for (let at = 0; at < some.length; at += TOGETHER) {
      const wanted = some.slice(at, at + TOGETHER).map(({ name }) => name);
      for (const resource of await space.read(ctx, actor, collection, wanted))
        yield { kind: 'resource', space, collection, name: resource.name, resource };
    }
  }
}
