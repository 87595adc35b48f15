import { randomUUID } from 'node:crypto';
import { H3, type H3Event } from 'h3';
import { memberServices } from '../accounts/member-services.ts';
import { accountServices } from '../accounts/services.ts';
import { authenticate } from '../accounts/authenticate.ts';
import { checkedTokens } from '../accounts/checked-tokens.ts';
import type { Context } from '../context.ts';
import { accounts } from '../contract/accounts.ts';
import { surfaceOf } from '../contract/envelope.ts';
import { members } from '../contract/members.ts';
import { node } from '../contract/node.ts';
import { reference } from '../contract/reference.ts';
import { nodeServices } from '../node/services.ts';
import { Problem } from '../problem.ts';
import { version } from '../version.ts';
import { clientAddress } from './client-address.ts';
import { cors } from './cors.ts';
import type { Limits } from './limits.ts';
import { mount, routeOf } from './mount.ts';
import { referenceServices } from './reference.ts';
import { publicProblem, respondProblem } from './respond.ts';
import { securityHeaders } from './security-headers.ts';
import type { Observation, Serving } from './serving.ts';

export interface AppOptions {
  readonly trusted: boolean;
  readonly limits: Limits;
  readonly checkReplies?: boolean;
  readonly observe?: (seen: Observation) => void;
  /** adds what isn't an operation: health, metrics, sockets */
  readonly extend?: (h3: H3) => void;
}

export interface App {
  readonly h3: H3;
  fetch(request: Request): Response | Promise<Response>;
}

/** The whole HTTP interface over one context. It listens nowhere. */
export function createApp(ctx: Context, options: AppOptions): App {
  const h3 = new H3({
    silent: true,
    onError: (error, event) => unmatched(event, error.status, { cause: error.cause ?? error }),
  });
  const addressOf = clientAddress(ctx.config.trustedProxies);
  const headers = securityHeaders(ctx.config);
  const methods = new Map<string, Set<string>>();
  const checked = checkedTokens();

  const serving: Serving = {
    trusted: options.trusted,
    jsonBodyLimit: ctx.config.limits.jsonBody,
    checkReplies: options.checkReplies ?? false,
    limits: options.limits,
    authenticate: (context, token, caller, where) => authenticate(context, token, caller, { ...where, checked }),
    methodsOf(path) {
      // Paths that differ in the names of their parameters alone are one to the router.
      const shape = path.replaceAll(/:\w+/g, ':x');
      const known = methods.get(shape) ?? new Set();
      methods.set(shape, known);
      return known;
    },
    async answer(event, op, handle) {
      const started = performance.now();
      const requestId = randomUUID();
      const caller = { address: addressOf(event.req), userAgent: userAgentOf(event.req) };
      const sent = { ...headers, 'x-request-id': requestId };
      let response: Response;
      try {
        response = await handle(event, ctx, caller, sent);
      } catch (error) {
        const problem = publicProblem(error, requestId);
        if (problem.kind === 'internal') ctx.log.error('unexpected error', { requestId, operation: op.id, error });
        response = respondProblem(op.surface, problem, sent);
      }
      options.observe?.({
        requestId,
        operation: op.id,
        method: op.method,
        path: op.path,
        status: response.status,
        milliseconds: performance.now() - started,
        address: caller.address,
      });
      return response;
    },
  };

  function unmatched(
    event: H3Event,
    status: number,
    how: { readonly allow?: string; readonly cause?: unknown },
  ): Response {
    const requestId = randomUUID();
    const path = event.url.pathname;
    const more = { ...headers, 'x-request-id': requestId, ...(how.allow !== undefined && { allow: how.allow }) };
    if (status >= 500) ctx.log.error('unexpected error', { requestId, error: how.cause });
    options.observe?.({
      requestId,
      operation: undefined,
      method: event.req.method,
      path: '(none)',
      status,
      milliseconds: 0,
      address: addressOf(event.req),
    });
    return respondProblem(surfaceOf(path), problemOfStatus(status) ?? publicProblem(how.cause, requestId), more);
  }

  if (ctx.config.corsOrigins.length > 0) h3.use(cors(ctx.config.corsOrigins));
  mount(h3, serving, accounts, accountServices);
  mount(h3, serving, members, memberServices);
  mount(h3, serving, node, nodeServices);
  mount(h3, serving, reference, referenceServices(ctx.config.limits, version));
  options.extend?.(h3);
  for (const [path, known] of methods) {
    const allow = [...known].join(', ');
    h3.all(routeOf(path), (event) => unmatched(event, 405, { allow }));
  }
  return { h3, fetch: (request) => h3.fetch(request) };
}

function userAgentOf(request: Request): string {
  return (request.headers.get('user-agent') ?? '').slice(0, 256);
}

function problemOfStatus(status: number): Problem | undefined {
  switch (status) {
    case 404:
      return new Problem('missing', 'NOT_FOUND', 'There is nothing at this path.');
    case 405:
      return new Problem('invalid', 'METHOD_NOT_ALLOWED', 'This path has other methods.');
    case 400:
      return new Problem('invalid', 'VALIDATION_ERROR', 'The path is not percent-encoded UTF-8.');
    default:
      return undefined;
  }
}
