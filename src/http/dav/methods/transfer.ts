import { davRefusal } from '../../../service/dav-matching.ts';
import type { DavNamed } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { respondEmpty } from '../answers.ts';
import { conditionsOf } from '../conditions.ts';
import { segmentsOfHref } from '../dav-paths.ts';
import type { DavRequest } from '../request.ts';
import { notThere, targetAt, targetOf, type ResourceTarget } from '../targets.ts';

/** MOVE and COPY of an event or a contact (RFC 4918 9.8 and 9.9), among collections of its kind. */
export async function transfer(request: DavRequest): Promise<Response> {
  const { ctx, actor, sent } = request;
  const { method, headers } = request.request;
  const from = await targetOf(request);
  if (from.kind === 'free') throw notThere();
  if (from.kind !== 'resource') throw new Problem('forbidden', 'FORBIDDEN', 'Only events and contacts can be moved.');
  const to = await destinationOf(request, from);
  const how = {
    conditions: conditionsOf(headers),
    copy: method === 'COPY',
    overwrite: headers.get('overwrite')?.trim().toUpperCase() !== 'F',
  };
  const { created } = await from.space.transfer(ctx, actor, named(from), named(to), how);
  return respondEmpty(created ? 201 : 204, sent);
}

function named({ collection, name }: ResourceTarget): DavNamed {
  return { collection, name };
}

/** @throws Problem invalid VALIDATION_ERROR; conflict CONFLICT without a collection for it; forbidden FORBIDDEN */
async function destinationOf(
  request: DavRequest,
  { space, collection, name }: ResourceTarget,
): Promise<ResourceTarget> {
  const address = request.request.headers.get('destination') ?? '';
  const segments = segmentsOfHref(address);
  if (segments === undefined)
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The header Destination must be an address of this server.');
  const to = await targetAt(request, segments).catch((error: unknown) => {
    // RFC 4918 9.8.5: what lies around it has to be there.
    if (error instanceof Problem && error.kind === 'missing') throw noPlace();
    throw error;
  });
  if (to.kind !== 'resource' || to.space !== space) throw elsewhere();
  if (to.collection.segment === collection.segment && to.name === name)
    throw new Problem('forbidden', 'FORBIDDEN', 'It is at this address already.');
  return to;
}

function noPlace(): Problem {
  return new Problem('conflict', 'CONFLICT', 'There is no such calendar or address book to put it into.');
}

function elsewhere(): Problem {
  const message = 'Events lie directly in a calendar, and contacts in an address book.';
  return davRefusal('forbidden', 'FORBIDDEN', 'c:calendar-collection-location-ok', message);
}
