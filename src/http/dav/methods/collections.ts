import { davRefusal } from '../../../service/dav-matching.ts';
import type { Problem } from '../../../base/problem.ts';
import { respondEmpty } from '../answers.ts';
import { madeWith, typesIn } from '../properties/changes.ts';
import { xmlOf, type DavRequest } from '../request.ts';
import { targetOf, type FreeTarget } from '../targets.ts';
import { unreadable } from '../xml/read.ts';

/** Makes a calendar (RFC 4791 5.3.1). */
export async function mkcalendar(request: DavRequest): Promise<Response> {
  const body = await xmlOf(request);
  if (body !== undefined && body.name !== 'c:mkcalendar') throw unreadable('The body must be a mkcalendar.');
  const { space, segment } = await freeTarget(request);
  if (space.kind !== 'calendar') throw notHere();
  await space.create(request.ctx, request.actor, segment, madeWith(body));
  return respondEmpty(201, request.sent);
}

/** Makes a calendar or an address book (RFC 5689). Without a type it is what its home is for. */
export async function mkcol(request: DavRequest): Promise<Response> {
  const body = await xmlOf(request);
  if (body !== undefined && body.name !== 'd:mkcol') throw unreadable('The body must be a mkcol.');
  const { space, segment } = await freeTarget(request);
  const types = typesIn(body).filter((name) => name !== 'd:collection');
  const own = space.kind === 'calendar' ? 'c:calendar' : 'card:addressbook';
  if (types.some((name) => name !== own)) {
    const message = 'Collections of this type do not lie here.';
    throw davRefusal('forbidden', 'FORBIDDEN', 'd:valid-resourcetype', message);
  }
  await space.create(request.ctx, request.actor, segment, madeWith(body));
  return respondEmpty(201, request.sent);
}

/** @throws Problem invalid METHOD_NOT_ALLOWED where something is; forbidden FORBIDDEN where no collection can be */
async function freeTarget(request: DavRequest): Promise<FreeTarget> {
  const target = await targetOf(request);
  if (target.kind === 'free') return target;
  throw target.kind === 'resource' ? notHere() : alreadyThere();
}

function alreadyThere(): Problem {
  return davRefusal('invalid', 'METHOD_NOT_ALLOWED', 'd:resource-must-be-null', 'There is something at this address.');
}

function notHere(): Problem {
  const message = 'Calendars lie directly in the calendar home, and address books in the address book home.';
  return davRefusal('forbidden', 'FORBIDDEN', 'c:calendar-collection-location-ok', message);
}
