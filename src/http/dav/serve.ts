import type { ServerRequest } from 'srvx';
import type { Caller } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { AnySpace } from '../../service/ports/dav.ts';
import { Problem } from '../../base/problem.ts';
import type { Serving } from '../serving.ts';
import { respondEmpty } from './answers.ts';
import { redirectOf, segmentsOf } from './dav-paths.ts';
import { mkcalendar, mkcol } from './methods/collections.ts';
import { propfind } from './methods/propfind.ts';
import { proppatch } from './methods/proppatch.ts';
import { get, put, remove } from './methods/resources.ts';
import { transfer } from './methods/transfer.ts';
import { postToOutbox } from './reports/free-busy.ts';
import { report } from './reports/report.ts';
import type { DavRequest } from './request.ts';
import { isPrivate, refusePublic, signIn } from './sign-in.ts';
import { notThere, spacesAt } from './targets.ts';

type Answer = (request: DavRequest) => Promise<Response>;

const methods: Readonly<Record<string, Answer>> = {
  COPY: transfer,
  DELETE: remove,
  GET: get,
  HEAD: get,
  MKCALENDAR: mkcalendar,
  MKCOL: mkcol,
  MOVE: transfer,
  POST: postToOutbox,
  PROPFIND: propfind,
  PROPPATCH: proppatch,
  PUT: put,
  REPORT: report,
};

const allow = ['OPTIONS', ...Object.keys(methods)].join(', ');

/** What a request for DAV comes with. */
export interface Arrived {
  readonly request: ServerRequest;
  readonly pathname: string;
  readonly caller: Caller;
  /** headers of every answer */
  readonly sent: Record<string, string>;
}

/** The name of a method for logs and metrics, of which there are few. */
export function operationOf(method: string): string {
  return `dav.${Object.hasOwn(methods, method) || method === 'OPTIONS' ? method.toLowerCase() : 'other'}`;
}

/**
 * Answers one request. Programs sign in with an app password each time.
 * @throws Problem what respondRefusal() then answers
 */
export async function serveDav(
  ctx: Context,
  serving: Serving,
  spaces: readonly AnySpace[],
  { request, pathname, caller, sent }: Arrived,
): Promise<Response> {
  const { method } = request;
  const leadsTo = redirectOf(pathname);
  if (leadsTo !== undefined) {
    await serving.limits.takeOther(caller.address, sent);
    return respondEmpty(301, { ...sent, location: leadsTo });
  }
  sent['dav'] = ['1', '3', 'access-control', 'extended-mkcol', ...spaces.flatMap(({ features }) => features)].join(
    ', ',
  );
  if (method === 'OPTIONS') {
    await serving.limits.takeOther(caller.address, sent);
    return respondEmpty(200, { ...sent, allow });
  }
  const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (answer === undefined) {
    sent['allow'] = allow;
    await serving.limits.takeOther(caller.address, sent);
    throw new Problem('invalid', 'METHOD_NOT_ALLOWED', 'This method is not supported here.');
  }
  const isLocal = serving.trusted;
  if (!isLocal && !isPrivate(ctx, request, caller)) {
    await serving.limits.takeOther(caller.address, sent);
    throw refusePublic();
  }
  const signedIn = await signedInAt(ctx, serving, spaces, { request, pathname, caller, sent });
  if (segmentsOf(pathname) === undefined) throw notThere();
  using held = serving.bytes.begin({ address: caller.address, memberId: signedIn.actor.memberId });
  return await answer({ ctx, ...signedIn, request, pathname, held, pace: serving.bodyPace, sent });
}

async function signedInAt(
  ctx: Context,
  serving: Serving,
  spaces: readonly AnySpace[],
  { request, pathname, caller, sent }: Arrived,
) {
  try {
    const signedIn = await signIn(ctx, { serving, request, caller }, spaces, spacesAt(pathname, spaces));
    // Counted before a byte of the body is read.
    await serving.limits.takeBridge(signedIn.actor.memberId, sent);
    return signedIn;
  } catch (error) {
    // Requests with guessed passwords must count as well.
    if (error instanceof Problem && error.kind === 'unauthenticated')
      await serving.limits.takeOther(caller.address, sent);
    throw error;
  }
}
