import { randomUUID } from 'node:crypto';
import { H3, type H3Event } from 'h3';
import { checkAppPassword } from '../shared/members/app-passwords.ts';
import { authenticate } from '../shared/members/authenticate.ts';
import { checkedTokens } from '../shared/members/checked-tokens.ts';
import { isKnownDevice } from '../shared/members/known-devices.ts';
import { selectMemberByName } from '../shared/members/names.ts';
import type { Context } from '../service/context.ts';
import { topics } from '../contract/all.ts';
import { envelopeNameOf } from '../contract/envelope.ts';
import { Problem } from '../base/problem.ts';
import type { Service } from '../service/service-parts.ts';
import { version } from '../base/version.ts';
import { createByteBudget, type ByteBudget } from './byte-budget.ts';
import { challengeFor } from './basic-auth.ts';
import type { Log } from '../base/log.ts';
import { clientAddress } from './client-address.ts';
import { cors } from './cors.ts';
import { davDoor, type Answering } from './dav/door.ts';
import type { Limits } from './limits.ts';
import { mount } from './mount.ts';
import { bookingPageServices, isBookingPage, respondBookingProblem } from './pages/booking-page.ts';
import type { BookingService } from './pages/booking-page/asking.ts';
import { referenceServices } from './pages/reference.ts';
import { publicProblem, respondProblem, type HeaderFields } from './respond.ts';
import { routesOf } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { sharePageServices } from './pages/share-page.ts';
import type { Observation, Serving } from './serving.ts';

export interface AppOptions {
  /** every service that the app serves, beside its own reference */
  readonly services: readonly Service[];
  readonly trusted: boolean;
  readonly limits: Limits;
  /** the byte budget of the whole process, if the process has more than this app */
  readonly bytes?: ByteBudget;
  readonly checkReplies?: boolean;
  readonly observe?: (seen: Observation) => void;
  /** adds pages that are not operations: health, metrics */
  readonly extend?: (add: AddPage) => void;
}

/** Answers GET at a path and counts the request by the client's address. `headers` are the headers of every answer. */
export type AddPage = (path: string, answer: (headers: HeaderFields) => Response | Promise<Response>) => void;

export interface App {
  fetch(request: Request): Response | Promise<Response>;
}

/** Warns of the first proxy alone: its next requests are alike. */
function unreadableOnce(log: Log): (proxy: string) => void {
  let said = false;
  return (proxy) => {
    if (said) return;
    said = true;
    log.warn('a trusted proxy sends an X-Forwarded-For that cannot be read; all its clients count as one', { proxy });
  };
}

/** The whole HTTP interface over one context. It does not listen on any port. */
export function createApp(ctx: Context, options: AppOptions): App {
  const h3 = new H3({
    silent: true,
    onRequest: (event) => routes.open(event.url.pathname),
    onError: (error, event) => unmatched(event, error.status, { cause: error.cause ?? error }),
  });
  const routes = routesOf(h3, (event, allow) => unmatched(event, 405, { allow }));
  const addressOf = clientAddress(ctx.config, options.trusted ? 'local' : 'unknown', unreadableOnce(ctx.log));
  const headers = securityHeaders(ctx.config);
  const checked = checkedTokens();

  const serving: Serving = {
    trusted: options.trusted,
    jsonBodyLimit: () => ctx.config.limits.jsonBody,
    checkReplies: options.checkReplies ?? false,
    limits: options.limits,
    bytes: options.bytes ?? createByteBudget(ctx.config.limits.bytes),
    bodyPace: ctx.config.server.bodyPace,
    memberNamed: async (context, name, device) => {
      const memberId = (await selectMemberByName(context.db, name).select('m.id').executeTakeFirst())?.id;
      const known = device !== undefined && (await isKnownDevice(context.db, memberId, device));
      return { memberId, device: known ? device : undefined };
    },
    checkAppPassword: (context, presented) =>
      checkAppPassword(context, {
        ...presented,
        failed: (what) => options.limits.appPasswordFailed(presented.caller.address, what),
      }),
    authenticate: (context, token, caller, where) => authenticate(context, token, caller, { ...where, checked }),
    answer: (event, op, handle) =>
      answering(event, op, handle, (problem, sent) =>
        isBookingPage(op) && acceptsHtml(event.req)
          ? respondBookingProblem(problem, sent)
          : respondProblem(op.envelope, problem, sent, challengeFor(op, event.req)),
      ),
  };

  const answering: Answering = async (event, { id, method, path }, handle, refuse) => {
    const started = performance.now();
    const requestId = randomUUID();
    const caller = { address: addressOf(event.req), userAgent: userAgentOf(event.req) };
    // The order matters: adding fields to an object after a spread is slow.
    const sent = { 'x-request-id': requestId, ...headers };
    let response: Response;
    try {
      response = await handle(event, ctx, caller, sent);
    } catch (error) {
      const problem = publicProblem(error, requestId);
      if (problem.kind === 'internal') ctx.log.error('unexpected error', { requestId, operation: id, error });
      response = refuse(problem, sent);
    }
    options.observe?.({
      requestId,
      operation: id,
      method,
      path,
      status: response.status,
      milliseconds: performance.now() - started,
      address: caller.address,
    });
    return response;
  };

  async function unmatched(
    event: H3Event,
    status: number,
    how: { readonly allow?: string; readonly cause?: unknown },
  ): Promise<Response> {
    const requestId = randomUUID();
    const address = addressOf(event.req);
    const sent: Record<string, string> = { ...headers, 'x-request-id': requestId };
    if (how.allow !== undefined) sent['allow'] = how.allow;
    if (status >= 500) ctx.log.error('unexpected error', { requestId, error: how.cause });
    const problem = (await refused(address, sent)) ?? problemOfStatus(status) ?? publicProblem(how.cause, requestId);
    const response = respondProblem(envelopeNameOf(event.url.pathname), problem, sent);
    options.observe?.({
      requestId,
      operation: undefined,
      method: event.req.method,
      path: '(none)',
      status: response.status,
      milliseconds: 0,
      address,
    });
    return response;
  }

  const addPage: AddPage = (path, answer) => {
    h3.get(path, async (event) => {
      const sent = { ...headers };
      const problem = await refused(addressOf(event.req), sent);
      return problem === undefined ? await answer(sent) : respondProblem(envelopeNameOf(path), problem, sent);
    });
  };

  /** @returns the refusal for a client that asks too often for pages that are not operations; undefined if it may go on */
  async function refused(address: string, sent: Record<string, string>): Promise<Problem | undefined> {
    try {
      await options.limits.takeOther(address, sent);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  const dav = davDoor(ctx, options.services, serving, answering);
  if (dav !== undefined) h3.use(dav);
  if (ctx.config.corsOrigins.length > 0) h3.use(cors(ctx.config.corsOrigins, options.services));
  for (const { contract, implementation } of options.services) mount(routes, serving, contract, implementation);
  mount(routes, serving, topics.sharePage.contract, sharePageServices());
  const calendar = options.services.find(({ name }) => name === topics.calendar.name);
  // The pages do what operations of the calendar do.
  if (calendar !== undefined)
    mount(
      routes,
      serving,
      topics.bookingPage.contract,
      bookingPageServices(calendar.implementation as unknown as BookingService),
    );
  const described = [...options.services, topics.sharePage, topics.bookingPage, topics.reference];
  mount(routes, serving, topics.reference.contract, referenceServices(ctx.config, version, described));
  options.extend?.(addPage);
  return { fetch: (request) => h3.fetch(request) };
}

/** Whether a person sees the answer. */
function acceptsHtml(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.get('accept') ?? '');
}

function userAgentOf(request: Request): string {
  return (request.headers.get('user-agent') ?? '').slice(0, 256);
}

function problemOfStatus(status: number): Problem | undefined {
  switch (status) {
    case 404:
      return new Problem('missing', 'NOT_FOUND', 'This path does not exist.');
    case 405:
      return new Problem('invalid', 'METHOD_NOT_ALLOWED', 'This path does not support this method.');
    case 400:
      return new Problem('invalid', 'VALIDATION_ERROR', 'The path is not percent-encoded UTF-8.');
    default:
      return undefined;
  }
}
