import type { DavChange } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { isBrief } from '../conditions.ts';
import { propstat } from '../multistatus.ts';
import { respondEmpty } from '../answers.ts';
import { changesIn, type ReadChange } from '../properties/changes.ts';
import { xmlOf, type DavRequest } from '../request.ts';
import { respondMultistatus } from '../respond-multistatus.ts';
import { addressOf, notThere, targetOf, type Target } from '../targets.ts';
import { unreadable } from '../xml/read.ts';
import { element, href, textElement } from '../xml/write.ts';

/** Changes properties of a collection: all that a request names, or none (RFC 4918 9.2). */
export async function proppatch(request: DavRequest): Promise<Response> {
  const body = await xmlOf(request);
  if (body?.name !== 'd:propertyupdate') throw unreadable('The body must be a propertyupdate.');
  const target = await targetOf(request);
  if (target.kind === 'free' || target.kind === 'resource') throw notThere();
  const changes = changesIn(body);
  const refused = changes.filter(({ change }) => change === undefined);
  const refusal =
    refused.length > 0
      ? 'These properties cannot be changed here, or not to these values.'
      : await refusalOf(request, target, changes);
  if (refusal === undefined && isBrief(request.request.headers)) {
    request.sent['preference-applied'] = 'return=minimal';
    return respondEmpty(200, request.sent);
  }
  return await respondMultistatus(request, target, outcome(request, target, { changes, refusal }));
}

/** @returns what speaks against it */
async function refusalOf(
  { ctx, actor }: DavRequest,
  target: Target,
  changes: readonly ReadChange[],
): Promise<string | undefined> {
  const change = Object.assign({}, ...changes.map((one) => one.change)) as DavChange;
  if (Object.keys(change).length === 0) return undefined;
  if (target.kind !== 'collection') return 'Properties of this address cannot be changed.';
  try {
    await target.space.update(ctx, actor, target.collection, change);
    return undefined;
  } catch (error) {
    if (error instanceof Problem && (error.kind === 'forbidden' || error.kind === 'invalid')) return error.message;
    throw error;
  }
}

async function* outcome(
  request: DavRequest,
  target: Target,
  { changes, refusal }: { readonly changes: readonly ReadChange[]; readonly refusal: string | undefined },
): AsyncGenerator<string> {
  const named = (some: readonly ReadChange[]): string => some.map(({ name }) => element(name)).join('');
  const address = href(addressOf(request, target));
  if (refusal === undefined) {
    yield element('d:response', address + propstat(named(changes), 200));
    return;
  }
  const bad = changes.filter(({ change }) => change === undefined);
  // Of those that nothing speaks against, each failed with the others.
  const [failed, others] = bad.length > 0 ? [bad, changes.filter(({ change }) => change !== undefined)] : [changes, []];
  const dependent = others.length === 0 ? '' : propstat(named(others), 424);
  const why = textElement('d:responsedescription', refusal);
  yield element('d:response', address + propstat(named(failed), 403) + dependent + why);
}
