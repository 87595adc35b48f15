import type { H3Event, Middleware } from 'h3';
import type { Context } from '../../service/context.ts';
import type { AnySpace } from '../../service/ports/dav.ts';
import type { Service } from '../../service/service-parts.ts';
import type { Problem } from '../../base/problem.ts';
import type { Handle, Serving } from '../serving.ts';
import type { respondRefusal } from './answers.ts';
import { isForDav } from './dav-paths.ts';
import type { operationOf, serveDav } from './serve.ts';

/** Runs a handler, and answers with a refusal if it throws. */
export type Answering = (
  event: H3Event,
  named: { readonly id: string; readonly method: string; readonly path: string },
  handle: Handle,
  refuse: (problem: Problem, sent: Record<string, string>) => Response,
) => Promise<Response>;

/**
 * Answers requests of programs for calendars and contacts, before anything else looks at them: an OPTIONS of DAV is not one of CORS.
 * @returns undefined if no service has anything for them
 */
export function davDoor(
  ctx: Context,
  services: readonly Service[],
  serving: Serving,
  answering: Answering,
): Middleware | undefined {
  const having = services.flatMap(({ dav }) => dav ?? []);
  if (having.length === 0) return undefined;
  let opening: Promise<Opened> | undefined;
  // Every request passes here, and most go on: without a promise of their own.
  return (event, next) => {
    const { req, url } = event;
    const isPreflight = req.method === 'OPTIONS' && req.headers.has('access-control-request-method');
    return isForDav(req.method, url.pathname, isPreflight) ? answer(event) : next();
  };

  async function answer(event: H3Event): Promise<Response> {
    const { req, url } = event;
    opening ??= open(having);
    // What failed once may work the next time.
    opening.catch(() => (opening = undefined));
    const opened = await opening;
    const { pathname } = url;
    return await answering(
      event,
      { id: opened.operationOf(req.method), method: req.method, path: '/dav' },
      async (_event, _ctx, caller, sent) =>
        await opened.serveDav(ctx, serving, opened.spaces, { request: req, pathname, caller, sent }),
      (problem, sent) => opened.respondRefusal(problem, pathname, sent),
    );
  }
}

interface Opened {
  readonly serveDav: typeof serveDav;
  readonly operationOf: typeof operationOf;
  readonly respondRefusal: typeof respondRefusal;
  readonly spaces: readonly AnySpace[];
}

async function open(having: readonly (() => Promise<AnySpace>)[]): Promise<Opened> {
  const [serve, answers, ...spaces] = await Promise.all([
    import('./serve.ts'),
    import('./answers.ts'),
    ...having.map(async (dav) => await dav()),
  ]);
  return { ...serve, respondRefusal: answers.respondRefusal, spaces };
}
